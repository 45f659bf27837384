/** `berth import`: what stands elsewhere as a berth.yml, with a report of what could not be taken. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { didYouMean } from '../../server/src/domain/text/closest.ts';
import { exitCodes } from '../exit-codes.ts';
import { nameFromFolder } from '../folder/what-it-is.ts';
import type { CheckedCompose } from '../import/compose.ts';
import type { FamilySource } from '../import/dokploy.ts';
import type { Imported, ReadFile } from '../import/imported.ts';
import { printable } from '../output/printable.ts';
import { askSecret, exists } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import type { Context } from './parts/context.ts';
import type { Word } from './parts/word.ts';

type Import = (
  read: ReadFile,
  given: string | undefined,
  name: string,
  context: Context,
) => Promise<Imported>;

/** Where an import comes from; loaded when it is asked for. */
const formats: Readonly<Record<string, Import>> = {
  compose: async (read, given, name) =>
    (await import('../import/compose.ts')).importCompose(read, given, name),
  heroku: async (read, given, name) => (await import('../import/heroku.ts')).importHeroku(read, given, name),
  kamal: async (read, given, name) => (await import('../import/kamal.ts')).importKamal(read, given, name),
  caprover: async (read, given, name) =>
    (await import('../import/caprover.ts')).importCaprover(read, given, name),
  dokku: async (read, given, name) => (await import('../import/dokku.ts')).importDokku(read, given, name),
  dokploy: importOther,
};

async function importOther(
  _read: ReadFile,
  project: string | undefined,
  _name: string,
  context: Context,
): Promise<Imported> {
  const { importFamily } = await import('../import/dokploy.ts');
  return importFamily(await sourceOf(context, project));
}

async function sourceOf(context: Context, project: string | undefined): Promise<FamilySource> {
  const url = context.text('from');
  if (url === undefined || !URL.canParse(url))
    throw new UsageError(
      'From where? Give --from with the address of the other installation, such as https://old.example.com.',
    );
  const key =
    context.terminal.environment['BERTH_IMPORT_KEY'] ||
    (await askSecret(context.terminal, 'API key of it: '));
  const { signal } = context.terminal;
  return { url, key, project, destination: context.text('destination'), signal };
}

export const importWord: Word = {
  name: 'import',
  usage: `${Object.keys(formats).join('|')}|templates [FILE]`,
  summary: 'converts the configuration of another platform to berth.yml',
  description:
    'Reads the files of the folder: compose: a compose file; heroku: app.json, Procfile and, as FILE, what ' +
    '`heroku config -s` printed; kamal: config/deploy.yml; caprover: a captain-definition, or the list of ' +
    'apps as FILE; dokku: what `dokku config:export` printed, as FILE. dokploy reads the project that is ' +
    'named from another server of the same interface; its key is asked for, or BERTH_IMPORT_KEY. Nothing ' +
    'is created: only the file is written; continue with `berth plan` and `berth apply`. templates reads a ' +
    'catalogue of Dokploy, Coolify or CapRover from the folder that is named and writes a folder for each ' +
    'template; `berth template create FOLDER project/name` makes a service of one.',
  options: {
    output: {
      short: 'o',
      value: 'PATH',
      description: 'this file instead of berth.yml; - is standard output. For templates: this folder',
    },
    name: { value: 'PROJECT', description: 'name of the project' },
    from: { value: 'URL', description: 'for dokploy: address of the other installation' },
    destination: { value: 'NAME', description: 'for dokploy: destination in this Berth for backups' },
    data: {
      description: 'for dokploy, after `berth apply`: copies the data of the databases and writes no file',
    },
    format: {
      value: 'FORMAT',
      description: 'of templates: auto (default), berth, dokploy, coolify, caprover',
    },
    yes: { short: 'y', description: 'with --data: copies without asking' },
    check: {
      description: 'for compose: only says what a deployment would make of the file; 1 if it is refused',
    },
    force: { description: 'overwrites an existing file' },
  },
  most: 2,
  calls: ['project.all', 'terminal.open'],
  async run(context) {
    const { terminal } = context;
    const [format = '', given] = context.args;
    if (format === 'templates') return importTemplates(context, given);
    const known = [...Object.keys(formats), 'templates'];
    const importer = Object.hasOwn(formats, format) ? formats[format] : undefined;
    if (!importer)
      throw new UsageError(
        format === ''
          ? `From what? Usage: berth import ${importWord.usage}`
          : `From what? "${format}" is not one of ${known.join(', ')}.${didYouMean(format, known)}`,
      );
    if (context.is('data')) {
      if (format !== 'dokploy')
        throw new UsageError('--data is of dokploy; for others there is `berth db copy`.');
      const { copyData } = await import('../import/copy-data.ts');
      return copyData(context, await sourceOf(context, given));
    }
    if (context.is('check')) {
      if (format !== 'compose') throw new UsageError('--check is of compose files.');
      const { checkCompose } = await import('../import/compose.ts');
      return told(context, await checkCompose(readIn(terminal.folder), given));
    }
    const path = context.text('output') ?? 'berth.yml';
    const whole = resolve(terminal.folder, path);
    if (path !== '-' && !context.is('force') && (await exists(whole)))
      throw new UsageError(`${path} already exists. Give --force to overwrite it, or --output.`);
    const imported = await importer(
      readIn(terminal.folder),
      given,
      nameFromFolder(terminal.folder) ?? 'app',
      context,
    );
    const { text, count } = await textOf(context, imported);
    if (path === '-') terminal.out(text);
    else await writeFile(whole, text, { mode: 0o600 });
    report(context, imported.notes, { count, file: path === '-' ? undefined : basename(path) });
    return exitCodes.done;
  },
};

/** Writes a folder for each template of the catalogue, and a report of every field. */
async function importTemplates(context: Context, given: string | undefined): Promise<number> {
  const [{ catalogueFormats }, { importCatalogue, writeTemplate }] = await Promise.all([
    import('../../server/src/modules/template/formats/catalogue.ts'),
    import('../import/templates/catalogue.ts'),
  ]);
  if (given === undefined)
    throw new UsageError('Which one? Usage: berth import templates FOLDER|ADDRESS [--format FORMAT]');
  const format = context.text('format') ?? 'auto';
  if (!catalogueFormats.includes(format))
    throw new UsageError(
      `--format is "${format}"; it is one of ${catalogueFormats.join(', ')}.` +
        didYouMean(format, catalogueFormats),
    );
  const { terminal } = context;
  const { isGitAddress, withClone } = await import('../import/templates/clone.ts');
  const read = (folder: string) => importCatalogue(folder, format, new Date(terminal.now()));
  const found = isGitAddress(given)
    ? await withClone(given, terminal, read)
    : await read(resolve(terminal.folder, given));
  const output = context.text('output') ?? 'templates';
  const into = resolve(terminal.folder, output);
  if (!context.is('force') && (await exists(into)))
    throw new UsageError(`${output} already exists. Give --force to write into it, or --output.`);
  for (const { definition } of found) if (definition) await writeTemplate(into, definition);
  const taken = found.filter(({ definition }) => definition !== undefined);
  for (const { name, refused, report: lines, notes } of found) {
    for (const { field, outcome, text } of lines)
      if (outcome !== 'taken') context.say(`· ${printable(`${name}: ${field} was ${outcome}: ${text}`)}`);
    for (const note of notes) context.say(`· ${printable(`${name}: ${note}`)}`);
    if (refused !== undefined) context.say(`· ${printable(`${name} was left out: ${refused}`)}`);
  }
  context.say(
    `${taken.length} of ${found.length} ${found.length === 1 ? 'template' : 'templates'} taken into ` +
      `${output}. \`berth template create ${output}/NAME project/name\` makes a service of one.`,
  );
  context.answer(
    found.map(({ name, refused, notes, report: fields }) => ({
      name,
      refused: refused ?? null,
      notes,
      fields,
    })),
    () => '',
  );
  return taken.length === 0 ? exitCodes.refused : exitCodes.done;
}

/** Files of a folder by their names. */
const readIn =
  (folder: string): ReadFile =>
  (name) =>
    readFile(resolve(folder, name), 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });

/** Prints what was found in a compose file, and returns whether it can be deployed. */
function told(context: Context, { services, refused, notes }: CheckedCompose): number {
  for (const note of notes) context.say(`· ${printable(note)}`);
  if (refused === undefined) context.say(`It can be deployed: ${services.map(printable).join(', ')}.`);
  else context.say(`A deployment would refuse it: ${printable(refused)}`);
  return refused === undefined ? exitCodes.done : exitCodes.refused;
}

/** Held against the schema before it is written, so that `plan` takes it. */
async function textOf(context: Context, imported: Imported): Promise<{ text: string; count: number }> {
  const [{ stringify }, { parseBerthFile }] = await Promise.all([
    import('yaml'),
    import('../file/read-file.ts'),
  ]);
  const { notes: _notes, project, services, environments = {}, ...rest } = imported;
  const name = context.text('name') ?? project;
  const places =
    Object.keys(environments).length === 0
      ? { services }
      : { environments: { ...environments, production: { ...environments['production'], services } } };
  const text = stringify({ project: name, ...rest, ...places }, { lineWidth: 0 });
  const whole = parseBerthFile(text, 'what was imported');
  const count = Object.values(whole.environments).flatMap((one) => Object.keys(one.services ?? {})).length;
  return { text, count };
}

function report(
  context: Context,
  notes: readonly string[],
  { count, file }: { count: number; file: string | undefined },
): void {
  const services = `${count} ${count === 1 ? 'service' : 'services'}`;
  context.say(file === undefined ? `${services} taken.` : `${services} taken into ${file}.`);
  for (const note of notes) context.say(`· ${printable(note)}`);
  if (file === undefined) return;
  context.say(
    `The values of variables are in ${file}: mark those that are secret with { secret: true } before you ` +
      'commit the file, and set them with `berth secret set`. Then `berth plan` shows what will be created.',
  );
}
