/** Catalogues of templates that organizations add. */
import { createReadCatalogue } from '../../modules/template-catalogue/read-catalogue.ts';
import {
  createTemplateCatalogues,
  type TemplateCatalogues,
} from '../../modules/template-catalogue/template-catalogue.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Product } from '../product.ts';

export function createCatalogues(
  { stores, adapters, clock }: Ground,
  { settings }: Product,
  { hostReach }: Machines,
): TemplateCatalogues {
  return createTemplateCatalogues({
    store: stores.templateCatalogues,
    clock,
    read: createReadCatalogue({
      files: adapters.files,
      git: adapters.git,
      workRoot: adapters.folders.work,
      clock,
      localRepositoryPaths: async (organizationId) =>
        (await hostReach.reachesHost(organizationId)) ? (await settings.get()).localRepositoryPaths : [],
    }),
  });
}
