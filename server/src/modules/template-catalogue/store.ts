/** SQL of catalogues of templates. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type TemplateCatalogueRecord = TableRecord<'template_catalogue'>;
export type CatalogueTemplateRecord = TableRecord<'catalogue_template'>;
/** Without its compose file and variables. */
export type ListedTemplateRow = Omit<CatalogueTemplateRecord, 'definition'> & { catalogue: string };

export interface TemplateCatalogueStore extends TableStore<'template_catalogue'> {
  templates: TableStore<'catalogue_template'>;
  /** Those of all catalogues of the organization, by catalogue and name. */
  listed(organizationId: string): Promise<ListedTemplateRow[]>;
  /** Takes the turn to read a catalogue; false where another process has it. Times in ms. */
  takeTurn(templateCatalogueId: string, seenAt: number, now: number): Promise<boolean>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createTemplateCatalogueStore(database: Database): TemplateCatalogueStore {
  const catalogues = tableStore(database, 'template_catalogue');
  const templates = tableStore(database, 'catalogue_template');
  const listed = sql<Record<string, unknown> & { catalogue: string }>`
    select t."templateCatalogueId", t."organizationId", t."name", t."title", t."description", t."website",
      t."tags", t."icon", t."images", t."digest", c."name" as "catalogue"
    from "catalogue_template" as t
    join "template_catalogue" as c on c."templateCatalogueId" = t."templateCatalogueId"
    where t."organizationId" = ${''} order by c."name", c."templateCatalogueId", t."name"`.compile(
    database.builder,
  );
  return {
    ...catalogues,
    templates,
    listed: async (organizationId) =>
      (await database.run(listed, [organizationId])).map(({ catalogue, ...row }) => ({
        ...templates.decode(row),
        catalogue,
      })),
    takeTurn: async (templateCatalogueId, seenAt, now) =>
      (await catalogues.update({ templateCatalogueId, lookedAt: seenAt }, { lookedAt: now })) === 1,
    transaction: (work) => database.transaction(work),
  };
}
