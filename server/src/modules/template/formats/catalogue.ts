/** Catalogues in Berth's own format and in those of other platforms, read from a folder with a report. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ZodError } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import { translate } from '../../compose/translation/translate.ts';
import { dangersOfPlan } from '../../host-reach/dangers.ts';
import { templateOf } from '../format.ts';
import { templateDefinition, type TemplateDefinition } from '../record.ts';
import { draftOfBerth, isBerthTemplate } from './berth-template.ts';
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
  berth: { holds: isBerthTemplate, read: draftOfBerth },
  dokploy: { holds: isDokploy, read: draftOfDokploy },
  caprover: { holds: isCaprover, read: draftOfCaprover },
  coolify: { holds: isCoolify, read: draftOfCoolify },
} satisfies Record<
  string,
  { holds: (entry: CatalogueEntry) => boolean; read: (entry: CatalogueEntry, now: Date) => Draft }
>;

export const catalogueFormats: readonly string[] = ['auto', ...Object.keys(formats)];

/** Folders that hold templates are looked for this deep. */
const deepest = 4;
const mostFileBytes = 500_000;
/** Bounds of a whole catalogue; the largest public ones have 500 templates and 6 MB. */
const most = { bytes: 32_000_000, templates: 1000 };
const isRead = /\.(ya?ml|toml|json|svg)$/;

/** Every template of the folder by name; `format` is one of `catalogueFormats`. */
export async function importCatalogue(
  folder: string,
  format: string,
  now: Date,
): Promise<ImportedTemplate[]> {
  const entries = await entriesOf(folder, { bytes: most.bytes });
  const known = Object.entries(formats).filter(([name]) => format === 'auto' || name === format);
  const found = new Map<string, ImportedTemplate>();
  for (const entry of entries) {
    const reader = known.find(([, { holds }]) => holds(entry))?.[1];
    if (reader === undefined) continue;
    const template = importEntry(entry, (one) => reader.read(one, now));
    if (!found.has(template.name)) found.set(template.name, template);
    if (found.size > most.templates)
      throw new AppError('BAD_REQUEST', `The catalogue has more than ${most.templates} templates.`);
    // Hundreds of files take seconds: others are served in between.
    await nextTurn();
  }
  if (found.size === 0)
    throw new AppError(
      'BAD_REQUEST',
      'The folder holds no template in the format of ' +
        `${format === 'auto' ? 'Berth, Dokploy, Coolify or CapRover' : format}.`,
    );
  return [...found.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
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
export function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
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

/**
 * A folder with template.yml or template.toml is one template; elsewhere each YAML file is one. Links are
 * left out: they may lead out of the catalogue.
 */
async function entriesOf(folder: string, left: { bytes: number }, depth = 0): Promise<CatalogueEntry[]> {
  const listed = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new AppError('BAD_REQUEST', `${basename(folder)} is not a folder that can be read.`);
  });
  const files = new Map<string, string>();
  for (const { name } of listed.filter((one) => one.isFile() && isRead.test(one.name))) {
    const path = join(folder, name);
    const { size } = await stat(path);
    if (size > mostFileBytes) continue;
    left.bytes -= size;
    if (left.bytes < 0)
      throw new AppError('BAD_REQUEST', `The files of the catalogue have more than ${most.bytes} bytes.`);
    files.set(name, await readFile(path, 'utf8'));
  }
  if (files.has('template.yml') || files.has('template.toml')) return [{ name: basename(folder), files }];
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
      below.push(...(await entriesOf(join(folder, name), left, depth + 1)));
  return [...own, ...below];
}
