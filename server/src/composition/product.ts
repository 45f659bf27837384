/** The records of the product and the rules on them: what needs no machine. */
import { createRefusedNames, type RefusedNames } from '../modules/on-demand/refused-names.ts';
import {
  createUnfinishedDeletions,
  type UnfinishedDeletions,
} from '../modules/unfinished-deletion/unfinished-deletion.ts';
import { createBuildServers } from '../modules/server/server.ts';
import { createAlarm, type Alarm } from '../jobs/alarm.ts';
import { createQueue } from '../jobs/queue.ts';
import type { Applications } from '../modules/application/application.ts';
import { createBases, type Bases } from '../modules/certificate-order/bases.ts';
import { createBaseDomains, type BaseDomains } from '../modules/base-domain/base-domain.ts';
import { createByDns, type ByDns } from '../modules/certificate-order/by-dns.ts';
import { createCertificates } from '../modules/certificate/certificate.ts';
import { createComposes, type Composes } from '../modules/compose/compose.ts';
import { createDatabases, type Databases } from '../modules/database/database.ts';
import { createCounters, type Counters } from '../modules/metrics/counters.ts';
import { createDomains, type Domains } from '../modules/domain/domain.ts';
import type { DomainSurroundings } from '../modules/domain/naming.ts';
import { createEnvironments, type Environments } from '../modules/environment/environment.ts';
import { createApprovals, type Approvals } from '../modules/host-reach/host-reach.ts';
import { createGitProviders, type GitProviders } from '../modules/git-provider/git-provider.ts';
import type { HostRules } from '../modules/own-host/own-host.ts';
import { createPublishedPorts } from '../modules/port/port.ts';
import type { ServiceNames } from '../modules/service-name/service-name.ts';
import type { SettingsService } from '../modules/settings/settings.ts';
import { createRenewals, type Renewals } from '../modules/platform-service/platform-service.ts';
import { createTurns, type Turns } from '../modules/service/turns.ts';
import type { Queue } from '../ports/queue.ts';
import { createAccounts, type Accounts } from './installation/accounts.ts';
import { firstSignUp } from '../adapters/files/first-sign-up.ts';
import type { Ground } from './ground.ts';
import { createNotifying, type Notifying } from './upkeep/notifying.ts';
import type { Walls } from './hosts/walls.ts';

export interface Product {
  baseDomains: BaseDomains;
  refusedNames: RefusedNames;
  bases: Bases;
  byDns: ByDns;
  settings: SettingsService;
  accounts: Accounts;
  approvals: Approvals;
  environments: Environments;
  names: ServiceNames;
  applications: Applications;
  databases: Databases;
  unfinished: UnfinishedDeletions;
  composes: Composes;
  /** Which hosts services may be reached by. */
  hostRules: HostRules;
  domains: Domains;
  gitProviders: GitProviders;
  queue: Queue;
  /** Rung by the queue, heard by the worker. */
  alarm: Alarm;
  turns: Turns;
  notifying: Notifying;
  counters: Counters;
  /** Of proxies and agents that a new version of Berth brings. */
  renewals: Renewals;
  createDestinations: Walls['destinations'];
  createPullRequests: Walls['pullRequests'];
  cookieJar: Walls['cookies'];
}

export async function createProduct(
  ground: Ground,
  walls: Pick<
    Walls,
    'hosts' | 'names' | 'guard' | 'throttle' | 'applications' | 'destinations' | 'pullRequests' | 'cookies'
  >,
): Promise<Product> {
  const { config, log, stores, database, adapters, clock, settings, local } = ground;
  const baseDomains = createBaseDomains({ store: stores.baseDomains, settings: settings.get });
  const byDns = byDnsOf(ground, baseDomains);
  const hostRules = walls.hosts({ settings: settings.get, url: config.url, facts: local.facts });
  const names = walls.names(stores.serviceNames);
  const localRepositoryPaths = async (): Promise<string[]> => (await settings.get()).localRepositoryPaths;
  const published = createPublishedPorts(stores.ports, [config.port, config.httpPort, config.httpsPort]);
  const { hasResolver } = stores.domains;
  const counters = createCounters();
  const alarm = createAlarm();
  const accounts = createAccounts(stores, database, clock, {
    firstSignUp: firstSignUp(config.data),
    onFault: (error) => void log.fault(error, 'events'),
    guard: walls.guard,
    throttle: walls.throttle,
  });
  return {
    settings,
    names,
    baseDomains,
    ...byDns,
    alarm,
    accounts,
    renewals: createRenewals(clock),
    refusedNames: createRefusedNames(clock),
    approvals: createApprovals({
      store: stores.hostReach,
      clock,
      standingOf: accounts.organizations.standing,
      ownsServer: stores.ownsServer,
    }),
    environments: createEnvironments(stores.environments, clock),
    applications: walls.applications(
      stores.applications,
      { names, hasResolver, localRepositoryPaths, buildServers: createBuildServers(stores.servers) },
      clock,
    ),
    databases: createDatabases(stores.databases, { names, published }, clock),
    unfinished: createUnfinishedDeletions(stores.unfinishedDeletions, clock),
    composes: createComposes(stores.composes, { names, localRepositoryPaths }, clock),
    hostRules,
    domains: domainsOf(ground, hostRules, { baseDomains, isOrdered: byDns.byDns.isOrdered }),
    gitProviders: createGitProviders(stores.gitProviders, adapters.gitApis, clock),
    queue: createQueue(stores.jobs, clock, alarm.wake),
    turns: createTurns(),
    createDestinations: walls.destinations,
    createPullRequests: walls.pullRequests,
    cookieJar: walls.cookies,
    counters,
    notifying: createNotifying(ground, counters),
  };
}

function byDnsOf(
  { stores, settings, clock }: Ground,
  { placed }: BaseDomains,
): Pick<Product, 'bases' | 'byDns'> {
  const { certificateOrders: store, certificates, organizations } = stores;
  const bases = createBases({ placed, settings: settings.get, installation: organizations.first, store });
  const orders = (serverId: string | null): ReturnType<typeof store.list> => store.list({ serverId });
  return {
    bases,
    byDns: createByDns({ orders, certificates: certificates.shown, base: bases.base, clock }),
  };
}

function domainsOf(
  { stores, settings, clock }: Ground,
  hostRules: HostRules,
  around: Pick<DomainSurroundings, 'baseDomains' | 'isOrdered'>,
): Domains {
  const certificates = createCertificates(stores.certificates, clock);
  return createDomains(stores.domains, clock, hostRules, {
    settings: settings.get,
    isCertified: async (host, serverKey, organizationId) =>
      (await certificates.serving(host, serverKey, organizationId)) !== undefined,
    ...around,
  });
}
