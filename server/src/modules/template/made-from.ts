/** The template that a compose service was made of, as it was then. */
import type { ComposeRecord } from '../../db/tables.ts';
import type { Template } from './record.ts';

export type MadeFrom = NonNullable<ComposeRecord['madeFrom']>;

/** What is kept of a template with the service that is made of it. */
export const madeFromOf = ({ name, catalogue, file, files, variables }: Template): MadeFrom => ({
  template: name,
  ...(catalogue && { catalogueId: catalogue.templateCatalogueId }),
  file,
  files: files.map(({ path, content }) => ({ path, content })),
  variables: variables.map((variable) => variable.name),
});

export const isNewer = (template: Template, made: MadeFrom): boolean =>
  JSON.stringify(madeFromOf(template)) !== JSON.stringify(made);
