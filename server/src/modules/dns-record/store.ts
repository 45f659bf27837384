/** SQL of names whose records Berth sets. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

/** A name of an organization whose records are Berth's: written down before they change. */
export type DnsRecordRow = TableRecord<'dns_record'>;

export interface DnsRecordStore extends TableStore<'dns_record'> {
  /** Names whose change was broken off or has failed, and is due. `now` in ms. */
  due(now: number): Promise<DnsRecordRow[]>;
  /** Names that nothing needs any more: no domain and no base domain of a project or server. `now` in ms. */
  orphans(now: number): Promise<DnsRecordRow[]>;
}

export function createDnsRecordStore(database: Database): DnsRecordStore {
  const { builder } = database;
  const rows = tableStore(database, 'dns_record');
  return {
    ...rows,
    async due(now) {
      const found = await database.run(
        sql<Record<string, unknown>>`select * from "dns_record" where "nextAt" <= ${now}
          order by "nextAt", "dnsRecordId" limit 50`.compile(builder),
      );
      return found.map(rows.decode);
    },
    async orphans(now) {
      const found = await database.run(
        sql<Record<string, unknown>>`select r.* from "dns_record" as r
          where r."keptUntil" <= ${now} and r."isRemoved" = 0
            and not exists (select 1 from "domain" as d
              where d."organizationId" = r."organizationId" and d."asciiHost" = r."name")
            and not exists (select 1 from "project" as p
              where p."organizationId" = r."organizationId" and '*.' || p."baseDomain" = r."name")
            and not exists (select 1 from "server" as s
              where s."organizationId" = r."organizationId" and '*.' || s."baseDomain" = r."name")
          order by r."dnsRecordId" limit 50`.compile(builder),
      );
      return found.map(rows.decode);
    },
  };
}
