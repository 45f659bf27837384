/** SQL of certificate resolvers. */
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type ResolverRecord = TableRecord<'certificate_resolver'>;

export interface ResolverStore extends TableStore<'certificate_resolver'> {
  /** How many domains, and applications for their previews, name the resolver. */
  countUses(organizationId: string, name: string): Promise<number>;
  /** How many certificate orders are sent to it. */
  countOrders(certificateResolverId: string): Promise<number>;
  /** Lets those follow a new name. */
  renameUses(organizationId: string, name: string, newName: string): Promise<void>;
}

export function createResolverStore(database: Database): ResolverStore {
  const { builder } = database;
  const orders = builder
    .selectFrom('certificate_order')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('certificateResolverId', '=', '')
    .compile();
  const domains = tableStore(database, 'domain');
  const applications = tableStore(database, 'application');
  const inDomains = builder
    .selectFrom('domain')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('organizationId', '=', '')
    .where('customCertResolver', '=', '')
    .compile();
  const inPreviews = builder
    .selectFrom('application')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('organizationId', '=', '')
    .where('previewCustomCertResolver', '=', '')
    .compile();
  return {
    ...tableStore(database, 'certificate_resolver'),
    async countUses(organizationId, name) {
      const [ofDomains, ofPreviews] = [
        await database.run(inDomains, [organizationId, name]),
        await database.run(inPreviews, [organizationId, name]),
      ];
      return Number(ofDomains[0]?.count ?? 0) + Number(ofPreviews[0]?.count ?? 0);
    },
    countOrders: async (certificateResolverId) =>
      Number((await database.run(orders, [certificateResolverId]))[0]?.count ?? 0),
    async renameUses(organizationId, name, newName) {
      await domains.update({ organizationId, customCertResolver: name }, { customCertResolver: newName });
      await applications.update(
        { organizationId, previewCustomCertResolver: name },
        { previewCustomCertResolver: newName },
      );
    },
  };
}
