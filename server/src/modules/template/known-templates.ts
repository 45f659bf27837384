/** The templates of Berth together with those of an organization's own catalogues. */
import { AppError } from '../../domain/errors.ts';
import { isNewer, type MadeFrom } from './made-from.ts';
import type { ListedTemplate, Template } from './record.ts';
import type { Templates } from './template.ts';

/** Those of an organization's catalogues. */
export interface CatalogueTemplates {
  listed(organizationId: string): Promise<ListedTemplate[]>;
  whole(organizationId: string, templateCatalogueId: string, name: string): Promise<Template | undefined>;
  /** Those that are another than what a service was made of; statements do not grow with their number. */
  newer(organizationId: string, made: readonly MadeFrom[]): Promise<Template[]>;
}

export interface KnownTemplates {
  /** Berth's own first, without compose files. */
  all(organizationId: string): Promise<ListedTemplate[]>;
  /** NOT_FOUND for a name that none has. */
  one(
    organizationId: string,
    of: { name: string; templateCatalogueId?: string | undefined },
  ): Promise<Template>;
  /** The newer form of what a service was made of; undefined where there is none. */
  newerThan(organizationId: string, made: MadeFrom): Promise<Template | undefined>;
  /** The same of many services, in their order. */
  newer(organizationId: string, made: readonly MadeFrom[]): Promise<(Template | undefined)[]>;
}

export function createKnownTemplates(ours: Templates, others: CatalogueTemplates): KnownTemplates {
  const newer = async (
    organizationId: string,
    made: readonly MadeFrom[],
  ): Promise<(Template | undefined)[]> => {
    const ofOthers = made.filter(({ catalogueId }) => catalogueId !== undefined);
    const [built, own] = await Promise.all([
      ofOthers.length === made.length ? [] : ours.all(),
      ofOthers.length === 0 ? [] : others.newer(organizationId, ofOthers),
    ]);
    return made.map((one) =>
      [...built, ...own].find((template) => isOf(template, one) && isNewer(template, one)),
    );
  };
  return {
    async all(organizationId) {
      const [built, own] = await Promise.all([ours.all(), others.listed(organizationId)]);
      return [...built, ...own];
    },
    async one(organizationId, { name, templateCatalogueId }) {
      if (templateCatalogueId === undefined) return ours.one(name);
      const found = await others.whole(organizationId, templateCatalogueId, name);
      if (found) return found;
      throw new AppError('NOT_FOUND', `The catalogue has no template "${name}". template.all lists them.`);
    },
    newerThan: async (organizationId, made) => (await newer(organizationId, [made]))[0],
    newer,
  };
}

const isOf = ({ name, catalogue }: Template, made: MadeFrom): boolean =>
  name === made.template && catalogue?.templateCatalogueId === made.catalogueId;
