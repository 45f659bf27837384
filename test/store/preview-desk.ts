/**
 * Webhooks and previews on a real database, with the real adapters of git hosts and of an engine that is not
 * there: what is around a build.
 */
import { anyHost } from '../http/any-host.ts';
import { createFileLogs } from '../../server/src/adapters/deployment-log/file-log.ts';
import { homeOutgoing } from '../integration/git/outgoing-fixture.ts';
import { createGitApis } from '../../server/src/adapters/git-api/git-apis.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createPreviewing,
  type Previewing,
  type PreviewingParts,
} from '../../server/src/composition/services/previewing.ts';
import { createBuildServers } from '../../server/src/modules/server/server.ts';
import { createStores, type Stores } from '../../server/src/composition/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import type { TableRecord } from '../../server/src/db/tables.ts';
import { createQueue } from '../../server/src/jobs/queue.ts';
import { createApplications, type Applications } from '../../server/src/modules/application/application.ts';
import { deployedApplications } from '../../server/src/modules/application/deployed.ts';
import { createAudit } from '../../server/src/modules/audit/audit.ts';
import { createComposes, type Composes } from '../../server/src/modules/compose/compose.ts';
import { deployedComposes } from '../../server/src/modules/compose/deployed.ts';
import type { Hosts } from '../../server/src/ports/host/host.ts';
import {
  createDeployments,
  type DeployedServices,
  type Deployments,
} from '../../server/src/modules/deployment/deployment.ts';
import { createDomains, type Domains } from '../../server/src/modules/domain/domain.ts';
import { createGitProviders, type GitProviders } from '../../server/src/modules/git-provider/git-provider.ts';
import { commentedCopies } from '../../server/src/modules/preview-deployment/compose/compose-previews.ts';
import { deployedPreviews } from '../../server/src/modules/preview-deployment/deployed.ts';
import {
  createPreviewDeployments,
  type PreviewDeployments,
} from '../../server/src/modules/preview-deployment/preview-deployment.ts';
import {
  createPullRequests,
  pullRequestJob,
  type PullRequests,
} from '../../server/src/modules/preview-deployment/pull-request/pull-request.ts';
import {
  createPreviewRuntime,
  type PreviewRuntime,
} from '../../server/src/modules/preview-deployment/runtime.ts';
import { createTurns } from '../../server/src/modules/service/turns.ts';
import { createServiceNames } from '../../server/src/modules/service-name/service-name.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { Queue } from '../../server/src/ports/queue.ts';
import { ownHost } from '../hosts.ts';
import { keptRoutes, type KeptRoutes } from '../http/kept-routes.ts';
import { idleInterruption } from './interruption.ts';

export interface PreviewDesk {
  domains: Domains;
  stores: Stores;
  applications: Applications;
  deployments: Deployments;
  composes: Composes;
  gitProviders: GitProviders;
  previews: PreviewDeployments;
  previewing: Previewing;
  queue: Queue;
  routes: KeptRoutes;
  runtime: PreviewRuntime;
  /** Questions to the name service and changes of routes, in their order. */
  steps: string[];
  /** What was told to whoever runs Berth. */
  warnings: string[];
  /** Runs the queued jobs of pull requests, one after another. */
  work(): Promise<void>;
  insertLink(
    link: Partial<TableRecord<'git_provider'>> &
      Pick<TableRecord<'git_provider'>, 'gitProviderId' | 'organizationId' | 'provider'>,
  ): Promise<void>;
}

export function createPreviewDesk(database: Database): PreviewDesk {
  const stores = createStores(database);
  const clock = systemClock;
  const hosts = ownHost();
  const logs = createFileLogs(mkdtempSync(join(tmpdir(), 'berth-previews-')), clock);
  const names = createServiceNames(stores.serviceNames);
  const routes = keptRoutes(database);
  const queue = createQueue(stores.jobs, clock, () => undefined);
  const warnings: string[] = [];
  const steps: string[] = [];
  const neighbours = { names, hasResolver: stores.domains.hasResolver, localRepositoryPaths: async () => [] };
  const buildServers = createBuildServers(stores.servers);
  const applications = createApplications(stores.applications, { ...neighbours, buildServers }, clock);
  const previews = previewsOf(stores, steps);
  const composes = createComposes(stores.composes, { names, localRepositoryPaths: async () => [] }, clock);
  const services = servicesOf(stores, { applications, composes, previews, hosts }, (preview) =>
    previewing.pullRequests.comment(preview),
  );
  const deployments = createDeployments(stores.deployments, { services, queue, logs }, clock);
  const gitProviders = createGitProviders(stores.gitProviders, createGitApis(clock, homeOutgoing), clock);
  const domains = createDomains(stores.domains, clock, anyHost);
  const previewing = createPreviewing({
    database,
    stores,
    adapters: { logs },
    hosts,
    clock,
    log: logInto(warnings),
    accounts: { audit: createAudit(stores.audit, clock) },
    applications,
    previews,
    deployments,
    gitProviders,
    queue,
    interruption: idleInterruption(deployments),
    changeRoutes: noting(steps, routes.changeRoutes),
    createPullRequests,
    names,
    composes,
    domains,
    ...unreleased(steps),
  });
  return {
    stores,
    applications,
    composes,
    domains,
    deployments,
    gitProviders,
    previews,
    previewing,
    queue,
    routes,
    runtime: runtimeOf(hosts, services.previewDeployment),
    warnings,
    steps,
    work: () => workOff(stores, previewing),
    insertLink: (link) => stores.gitProviders.insert({ ...plainLink, ...link }),
  };
}

function servicesOf(
  { composePreviews }: Stores,
  {
    applications,
    composes,
    previews,
    hosts,
  }: { applications: Applications; composes: Composes; previews: PreviewDeployments; hosts: Hosts },
  comment: PullRequests['comment'],
) {
  return {
    application: deployedApplications(applications, hosts),
    compose: deployedComposes(composes, hosts, commentedCopies(composePreviews, comment)),
    previewDeployment: deployedPreviews(previews, applications, hosts, comment),
  };
}

const logInto = (warnings: string[]): PreviewingParts['log'] => ({
  info: () => undefined,
  warn: (sentence) => void warnings.push(sentence),
  fault: () => '',
});

/** Compose services of which nothing is released. */
const unreleased = (
  steps: string[],
): Pick<PreviewingParts, 'composeRuntime' | 'leaveSchedules' | 'previewWildcard' | 'removeDatabases'> => ({
  composeRuntime: { remove: async ({ composeId }) => (steps.push(`removal of ${composeId}`), []) },
  leaveSchedules: async () => async () => undefined,
  removeDatabases: async (id) => void steps.push(`databases of ${id}`),
  previewWildcard: async () => (steps.push('address'), '*.203-0-113-7.sslip.io'),
});

function previewsOf(stores: Stores, steps: string[]): PreviewDeployments {
  return createPreviewDeployments(
    stores.previewDeployments,
    {
      domains: createDomains(stores.domains, systemClock, anyHost),
      names: createServiceNames(stores.serviceNames),
      wildcard: async () => (steps.push('address'), '*.203-0-113-7.sslip.io'),
    },
    systemClock,
  );
}

const noting =
  (steps: string[], changeRoutes: KeptRoutes['changeRoutes']): KeptRoutes['changeRoutes'] =>
  (serverKey, write, change, options) => {
    steps.push('change of routes');
    return changeRoutes(serverKey, write, change, options);
  };

/** Nothing is released here. */
function runtimeOf(hosts: Hosts, services: DeployedServices): PreviewRuntime {
  return createPreviewRuntime({ hosts, turns: createTurns(), services, liveSpec: async () => undefined });
}

/** Runs the queued jobs of pull requests, and those that come of them. */
async function workOff(stores: Stores, previewing: Previewing): Promise<void> {
  const queued = () =>
    stores.jobs.list({ kind: pullRequestJob, state: 'queued' }, { by: ['sequence'], direction: 'asc' });
  for (let jobs = await queued(); jobs.length > 0; jobs = await queued()) {
    for (const job of jobs) {
      await previewing.pullRequests.run({ ...job, attempts: 1 });
      await stores.jobs.update({ jobId: job.jobId }, { state: 'done' });
    }
  }
}

const plainLink = {
  name: 'link',
  createdAt: '2026-01-01T00:00:00.000Z',
  baseUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v1',
  appId: null,
  installationId: null,
  username: null,
  privateKey: null,
  webhookSecret: null,
  accessToken: null,
} as const satisfies Partial<TableRecord<'git_provider'>>;
