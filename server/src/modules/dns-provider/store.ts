/** SQL of DNS providers, and of the records that they have for Berth. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type DnsProviderRecord = TableRecord<'dns_provider'>;
/** A TXT record that is set, or may be: written down before it is set, until it is removed. */
export type DnsChallengeRecord = TableRecord<'dns_challenge'>;

export interface DnsProviderStore extends TableStore<'dns_provider'> {
  challenges: TableStore<'dns_challenge'>;
  /** Names of certificates that are renewed by the provider. */
  uses(dnsProviderId: string): Promise<string[]>;
  /** Names whose records Berth has set at the provider. */
  recordNames(dnsProviderId: string): Promise<string[]>;
  /** Records whose removal is due. `now` in ms. */
  dueChallenges(now: number): Promise<DnsChallengeRecord[]>;
}

export function createDnsProviderStore(database: Database): DnsProviderStore {
  const { builder } = database;
  const challenges = tableStore(database, 'dns_challenge');
  const uses = builder
    .selectFrom('certificate_order')
    .select('name')
    .where('dnsProviderId', '=', '')
    .orderBy('name')
    .compile();
  return {
    ...tableStore(database, 'dns_provider'),
    challenges,
    uses: async (dnsProviderId) => (await database.run(uses, [dnsProviderId])).map(({ name }) => name),
    recordNames: async (dnsProviderId) =>
      (await tableStore(database, 'dns_record').list({ dnsProviderId })).map(({ name }) => name),
    async dueChallenges(now) {
      const rows = await database.run(
        sql<Record<string, unknown>>`select * from "dns_challenge" where "removeAt" <= ${now}
          order by "removeAt", "dnsChallengeId" limit 100`.compile(builder),
      );
      return rows.map(challenges.decode);
    },
  };
}
