/** Catalogues of other platforms, read from a folder, as templates of Berth with a report. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { ZodError } from 'zod';
import { AppError } from '../../../server/src/domain/errors.ts';
import { translate } from '../../../server/src/modules/compose/translation/translate.ts';
import { dangersOfPlan } from '../../../server/src/modules/host-reach/dangers.ts';
import { templateOf } from '../../../server/src/modules/template/format.ts';
import { templateDefinition, type TemplateDefinition } from '../../../server/src/modules/template/record.ts';
import { UsageError } from '../../usage-error.ts';
import { draftOfCaprover, isCaprover } from './caprover-templates.ts';
import { draftOfCoolify, isCoolify } from './coolify-templates.ts';
import { draftOfDokploy, isDokploy } from './dokploy-templates.ts';
import type { CatalogueEntry, Draft, ReportLine } from './draft.ts';

export interface ImportedTemplate {
  name: string;
  /** Absent where it could not be read, or Berth would not take it. */
  definition?: TemplateDefinition;
  /** Why there is none. */
  refused?: string;
  /** What a deployment would say of it. */
  notes: string[];
  report: ReportLine[];
}

const formats = {
  dokploy: { holds: isDokploy, read: draftOfDokploy },
  caprover: { holds: isCaprover, read: draftOfCaprover },
  coolify: { holds: isCoolify, read: draftOfCoolify },
} satisfies Record<
  string,
  { holds: (entry: CatalogueEntry) => boolean; read: (entry: CatalogueEntry, now: Date) => Draft }
>;

export const catalogueFormats: readonly string[] = ['auto', ...Object.keys(formats)];

/** Every template of the folder in turn; `format` is one of `catalogueFormats`. */
export async function importCatalogue(
  folder: string,
  format: string,
  now: Date,
): Promise<ImportedTemplate[]> {
  const entries = await entriesOf(folder);
  const known = Object.entries(formats).filter(([name]) => format === 'auto' || name === format);
  const found: ImportedTemplate[] = [];
  for (const entry of entries) {
    const reader = known.find(([, { holds }]) => holds(entry))?.[1];
    if (reader !== undefined) found.push(importEntry(entry, (one) => reader.read(one, now)));
  }
  if (found.length === 0)
    throw new UsageError(
      `${folder} holds no template in the format of ` +
        `${format === 'auto' ? 'Dokploy, Coolify or CapRover' : format}.`,
    );
  return found.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function importEntry(entry: CatalogueEntry, read: (entry: CatalogueEntry) => Draft): ImportedTemplate {
  let report: ReportLine[] = [];
  try {
    const draft = read(entry);
    ({ report } = draft);
    const definition = templateDefinition.parse(draft.definition);
    templateOf(definition, 'the template');
    return { name: definition.name, definition, notes: notesOf(definition), report };
  } catch (error) {
    return { name: entry.name, refused: reasonOf(error), notes: [], report };
  }
}

/** Only what a file of a stranger can be wrong in; every other error is a fault of ours. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError || error instanceof UsageError) return error.message;
  if (error instanceof ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  if (error instanceof Error && error.name.startsWith('YAML')) return error.message.split('\n')[0] ?? '';
  throw error;
}

/** What a deployment makes of its compose file; throws the refusal. */
function notesOf({ file, files, variables }: TemplateDefinition): string[] {
  const plan = translate({
    text: file,
    field: 'the compose file',
    folder: undefined,
    files: new Map(files.map(({ path, content }) => [path, content])),
    variables: Object.fromEntries(variables.map(({ name, value }) => [name, value || 'berth'])),
    blocks: { project: '', environment: '', service: '' },
  });
  return [
    ...plan.notes,
    ...dangersOfPlan(plan).map(
      ({ service, what, value }) =>
        `${service}: ${what} ${value} needs the approval of an Owner or Admin of the installation.`,
    ),
  ];
}

/** Folders that hold templates are looked for this deep. */
const deepest = 4;
const mostFileBytes = 500_000;
const isRead = /\.(ya?ml|toml|json|svg)$/;

/** A folder with template.toml is one template; elsewhere each YAML file is one. */
async function entriesOf(folder: string, depth = 0): Promise<CatalogueEntry[]> {
  const listed = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new UsageError(`${folder} is not a folder that can be read.`);
  });
  const files = new Map<string, string>();
  for (const { name } of listed.filter((one) => one.isFile() && isRead.test(one.name))) {
    const path = join(folder, name);
    if ((await stat(path)).size <= mostFileBytes) files.set(name, await readFile(path, 'utf8'));
  }
  if (files.has('template.toml')) return [{ name: basename(folder), files }];
  const pictures = [...files].filter(([name]) => name.endsWith('.svg'));
  const own = [...files]
    .filter(([name]) => /\.ya?ml$/.test(name))
    .map(([name, text]) => ({
      name: name.replace(/\.ya?ml$/, ''),
      files: new Map([[name, text], ...pictures]),
    }));
  const below: CatalogueEntry[] = [];
  if (depth < deepest)
    for (const { name } of listed.filter((one) => one.isDirectory() && !one.name.startsWith('.')))
      below.push(...(await entriesOf(join(folder, name), depth + 1)));
  return [...own, ...below];
}

/** Writes `<folder>/<name>/` with template.yml, compose.yml and icon.svg, as Berth's own templates are. */
export async function writeTemplate(
  folder: string,
  { name, file, icon, ...described }: TemplateDefinition,
): Promise<void> {
  const into = join(folder, name);
  await mkdir(into, { recursive: true });
  await writeFile(join(into, 'template.yml'), stringify(withoutDefaults(described), { lineWidth: 0 }));
  await writeFile(join(into, 'compose.yml'), file);
  if (icon !== null) await writeFile(join(into, 'icon.svg'), icon);
}

/** Without fields that say nothing. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([, one]) => one !== null && one !== false && one !== '' && !(Array.isArray(one) && one.length === 0),
      )
      .map(([key, one]) => [key, withoutDefaults(one)]),
  );
}

/** A folder in Berth's own format. */
export async function readTemplateFolder(folder: string): Promise<TemplateDefinition> {
  const { parse } = await import('yaml');
  const read = (name: string): Promise<string> =>
    readFile(join(folder, name), 'utf8').catch(() => {
      throw new UsageError(
        `${folder} has no ${name} that can be read. A template is a folder with both files.`,
      );
    });
  const [described, file] = await Promise.all([read('template.yml'), read('compose.yml')]);
  const icon = await readFile(join(folder, 'icon.svg'), 'utf8').catch(() => null);
  try {
    const top: unknown = parse(described);
    const fields = typeof top === 'object' && top !== null ? top : {};
    const definition = templateDefinition.parse({ ...fields, name: basename(folder), file, icon });
    templateOf(definition, 'the template');
    return definition;
  } catch (error) {
    throw new UsageError(`${folder}: ${reasonOf(error)}`);
  }
}
