/** Berth's own format: a folder with template.yml and compose.yml. */
import { AppError } from '../../../domain/errors.ts';
import { templateDefinition } from '../record.ts';
import { yamlOf, type CatalogueEntry, type Draft } from './draft.ts';
import { fieldsOf } from '../../../domain/text/loose-values.ts';

export const isBerthTemplate = ({ files }: CatalogueEntry): boolean => files.has('template.yml');

export function draftOfBerth({ name, files }: CatalogueEntry): Draft {
  const file = files.get('compose.yml');
  if (file === undefined) throw new AppError('BAD_REQUEST', 'It has no compose.yml beside template.yml.');
  const described = fieldsOf(yamlOf(files.get('template.yml') ?? ''));
  const icon = files.get('icon.svg') ?? null;
  return { definition: templateDefinition.parse({ ...described, name, file, icon }), report: [] };
}
