import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { templateCatalogueContract } from './contract.ts';
import type { By, TemplateCatalogues } from './template-catalogue.ts';

const by = ({ signal, write }: CallContext): By => ({ signal, write: (work) => write(work) });

export function templateCatalogueHandlers(
  catalogues: TemplateCatalogues,
): Handlers<typeof templateCatalogueContract, CallContext> {
  return {
    async all({ actor }, input) {
      const all = await catalogues.all(actor.organizationId);
      return paginate(all, input, ({ templateCatalogueId }) => templateCatalogueId);
    },
    one: ({ actor }, { templateCatalogueId }) => catalogues.one(templateCatalogueId, actor.organizationId),
    create: (context, input) => catalogues.create(context.actor.organizationId, input, by(context)),
    update: ({ actor, write }, { templateCatalogueId, ...patch }) =>
      write(() => catalogues.update(templateCatalogueId, actor.organizationId, patch)),
    refresh: (context, { templateCatalogueId }) =>
      catalogues.refresh(templateCatalogueId, context.actor.organizationId, by(context)),
    remove: ({ actor, write }, { templateCatalogueId }) =>
      write(() => catalogues.remove(templateCatalogueId, actor.organizationId)),
  };
}
