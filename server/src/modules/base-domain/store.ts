/** SQL of the base domains of projects and servers. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { oneAtATime, sharedByOrganizations } from '../../db/writing/one-at-a-time.ts';
import { isWithin, overlaps } from '../../domain/routing/base-domain.ts';

/** A base domain, and whose it is. */
export interface HeldBase {
  domain: string;
  organizationId: string;
  /** null: that of a server. */
  projectId: string | null;
  serverId: string | null;
}

/** A base domain, and a server of services that are named below it. */
export interface PlacedBase {
  domain: string;
  organizationId: string;
  serverId: string | null;
}

/** A server of an organization. */
export interface Machine {
  serverId: string;
  /** Of whose cluster it is a node. */
  clusterServerId: string | null;
  /** Or a host name. */
  ipAddress: string;
  isSetUp: boolean;
}

/** Where a service stands; the project is named, or found by its environment. */
export interface ServicePlace {
  serverKey: string;
  projectId?: string | undefined;
  environmentId?: string | undefined;
}

export interface BaseDomainStore {
  /** Those of the project and of the server of a place. */
  ofPlace(place: ServicePlace): Promise<{ project: string | null; server: string | null }>;
  /** Of the organization's projects, and of the server if it is its own. */
  below(organizationId: string, serverKey: string): Promise<string[]>;
  /** Those that are the domain, or lie above or below it. */
  related(domain: string): Promise<HeldBase[]>;
  /** Hosts of other organizations that are the domain, or lie below it. */
  hostsOfOthers(domain: string, organizationId: string): Promise<string[]>;
  /** Each with every server of its services; of a project without services, Berth's own machine. */
  placed(): Promise<PlacedBase[]>;
  /** Servers of the services of a project; null: Berth's own machine. */
  serversOf(projectId: string): Promise<(string | null)[]>;
  machines(organizationId: string): Promise<Machine[]>;
  /** Until the transaction ends, no other one claims a base domain. */
  claimAlone(): Promise<void>;
}

const services = sql`(select "environmentId", "serverId" from "application"
  union all select "environmentId", "serverId" from "compose")`;

export function createBaseDomainStore(database: Database): BaseDomainStore {
  const { builder, run } = database;
  const ofPlace = sql<{ project: string | null; server: string | null }>`select
    (select p."baseDomain" from "project" as p where p."projectId" = ${''} or p."projectId" =
      (select e."projectId" from "environment" as e where e."environmentId" = ${''})) as "project",
    (select s."baseDomain" from "server" as s where s."serverId" = ${''}) as "server"`.compile(builder);
  const below = sql<{ domain: string }>`select "baseDomain" as "domain" from "project"
      where "organizationId" = ${''} and "baseDomain" is not null
    union select "baseDomain" from "server"
      where "organizationId" = ${''} and "serverId" = ${''} and "baseDomain" is not null`.compile(builder);
  const serversOf = sql<{ serverId: string | null }>`select distinct s."serverId" from ${services} as s
    join "environment" as e on e."environmentId" = s."environmentId"
    where e."projectId" = ${''}`.compile(builder);
  const machines = sql<Omit<Machine, 'isSetUp'> & { status: string }>`
    select "serverId", "clusterServerId", "ipAddress", "status" from "server"
    where "organizationId" = ${''}`.compile(builder);
  return {
    ofPlace: async ({ projectId = '', environmentId = '', serverKey }) =>
      (await run(ofPlace, [projectId, environmentId, serverKey]))[0] ?? { project: null, server: null },
    below: async (organizationId, serverKey) =>
      (await run(below, [organizationId, organizationId, serverKey])).map(({ domain }) => domain),
    ...overlapsIn(database),
    placed: () => run(placedBases(builder)),
    serversOf: async (projectId) => (await run(serversOf, [projectId])).map(({ serverId }) => serverId),
    machines: async (organizationId) =>
      (await run(machines, [organizationId])).map(({ status, ...machine }) => ({
        ...machine,
        isSetUp: status === 'active',
      })),
    claimAlone: () => oneAtATime(database, sharedByOrganizations),
  };
}

/** `_` of a name stands for any character in a pattern, so what is found is looked at again. */
function overlapsIn({ builder, run }: Database): Pick<BaseDomainStore, 'related' | 'hostsOfOthers'> {
  const related = sql<HeldBase>`select "domain", "organizationId", "projectId", "serverId" from (
      select "baseDomain" as "domain", "organizationId", "projectId", null as "serverId" from "project"
      union all select "baseDomain", "organizationId", null, "serverId" from "server") as b
    where '.' || ${''} like '%.' || "domain" or '.' || "domain" like ${''}`.compile(builder);
  const hosts = sql<{ asciiHost: string }>`select distinct "asciiHost" from "domain"
    where ("asciiHost" = ${''} or "asciiHost" like ${''}) and "organizationId" <> ${''}`.compile(builder);
  return {
    related: async (domain) =>
      (await run(related, [domain, `%.${domain}`])).filter((held) => overlaps(held.domain, domain)),
    hostsOfOthers: async (domain, organizationId) =>
      (await run(hosts, [domain, `%.${domain}`, organizationId]))
        .map(({ asciiHost }) => asciiHost)
        .filter((host) => isWithin(domain, host)),
  };
}

const placedBases = (builder: Database['builder']) =>
  sql<PlacedBase>`select p."baseDomain" as "domain", p."organizationId", s."serverId"
      from ${services} as s
      join "environment" as e on e."environmentId" = s."environmentId"
      join "project" as p on p."projectId" = e."projectId"
      where p."baseDomain" is not null
    union select p."baseDomain", p."organizationId", null from "project" as p
      where p."baseDomain" is not null and not exists (
        select 1 from ${services} as s join "environment" as e on e."environmentId" = s."environmentId"
        where e."projectId" = p."projectId")
    union select "baseDomain", "organizationId", "serverId" from "server"
      where "baseDomain" is not null`.compile(builder);
