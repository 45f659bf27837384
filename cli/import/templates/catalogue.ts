/** Catalogues from a folder or a git address, and templates as folders. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { AppError } from '../../../server/src/domain/errors.ts';
import { templateOf } from '../../../server/src/modules/template/format.ts';
import {
  importCatalogue as importFolder,
  reasonOf,
  type ImportedTemplate,
} from '../../../server/src/modules/template/formats/catalogue.ts';
import { templateDefinition, type TemplateDefinition } from '../../../server/src/modules/template/record.ts';
import { UsageError } from '../../usage-error.ts';

/** Every template of the folder in turn; `format` is one of `catalogueFormats`. */
export async function importCatalogue(
  folder: string,
  format: string,
  now: Date,
): Promise<ImportedTemplate[]> {
  try {
    return await importFolder(folder, format, now);
  } catch (error) {
    if (error instanceof AppError) throw new UsageError(`${folder}: ${error.message}`);
    throw error;
  }
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
