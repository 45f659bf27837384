/** The templates of a folder, read once: `<name>/` with compose.yml, template.yml and maybe icon.svg. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { templateFile, templateName, type Template } from './record.ts';

export interface Templates {
  all(): Promise<readonly Template[]>;
  /** NOT_FOUND for a name that none has. */
  one(name: string): Promise<Template>;
}

export function createTemplates(folder: string): Templates {
  let read: Promise<readonly Template[]> | undefined;
  const all = (): Promise<readonly Template[]> => (read ??= readTemplates(folder));
  return {
    all,
    async one(name) {
      const found = (await all()).find((template) => template.name === name);
      if (found === undefined)
        throw new AppError('NOT_FOUND', `There is no template "${name}". template.all lists them.`);
      return found;
    },
  };
}

async function readTemplates(folder: string): Promise<readonly Template[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => templateName.parse(name));
  return Promise.all(names.toSorted().map((name) => readTemplate(folder, name)));
}

async function readTemplate(folder: string, name: string): Promise<Template> {
  const text = (part: string): Promise<string> => readFile(join(folder, name, part), 'utf8');
  const [{ parse }, { templateOf }] = await Promise.all([import('yaml'), import('./format.ts')]);
  const [described, file, icon] = await Promise.all([
    text('template.yml'),
    text('compose.yml'),
    text('icon.svg').catch(noneWhereAbsent),
  ]);
  return templateOf({ ...templateFile.parse(parse(described)), name, file, icon }, name);
}

function noneWhereAbsent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
