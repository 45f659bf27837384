/** Previews of one application with their records in memory: what becomes of events, without a server. */
import type { ApplicationRecord } from '../../server/src/db/tables.ts';
import type { PullRequestEvent } from '../../server/src/domain/git/git-event.ts';
import type { GitProvider } from '../../server/src/domain/git/git-host.ts';
import { isoTime, systemClock } from '../../server/src/ports/clock.ts';
import type { NewJob } from '../../server/src/ports/queue.ts';
import { newApplication } from '../../server/src/modules/application/defaults.ts';
import {
  createApplicationPreviews,
  type ApplicationPreviewDeps,
} from '../../server/src/modules/preview-deployment/application-previews.ts';
import {
  createPreviewDeployments,
  type PreviewDeployments,
} from '../../server/src/modules/preview-deployment/preview-deployment.ts';
import {
  createPullRequests,
  type PullRequestNeighbours,
  type PullRequests,
} from '../../server/src/modules/preview-deployment/pull-request/pull-request.ts';
import type {
  PreviewDeploymentRecord,
  PreviewDeploymentStore,
} from '../../server/src/modules/preview-deployment/store.ts';
import { isOlder } from '../../server/src/modules/preview-deployment/pull-request/verdict.ts';

type States = PullRequestNeighbours['states'];

export interface PreviewsInMemory {
  /** A signed event of the application's host. */
  receive(event: PullRequestEvent): Promise<void>;
  /** The oldest queued job. */
  workOnce(): Promise<void>;
  workAll(): Promise<void>;
  shown(): { number: number | null; commit: string | null }[];
}

export function previewsInMemory(
  host: GitProvider,
  fullName: string,
  previewLabels: string[],
): PreviewsInMemory {
  const [owner = '', repository = ''] = fullName.split('/');
  const application: ApplicationRecord = {
    ...newApplication({
      applicationId: 'shop',
      organizationId: 'acme',
      appName: 'shop',
      name: 'Shop',
    } as never),
    sourceType: host,
    owner,
    repository,
    branch: 'main',
    isPreviewDeploymentsActive: true,
    previewRequireCollaboratorPermissions: false,
    previewLabels,
  };
  const store = storeInMemory();
  const previews = createPreviewDeployments(
    store,
    {
      domains: { create: async () => ({ domainId: 'domain' }) as never },
      names: { keep: async () => undefined },
      wildcard: async () => '*.example.com',
    },
    systemClock,
  );
  const jobs: NewJob[] = [];
  const pullRequests = pullRequestsOn(application, previews, jobs);
  const workOnce = async (): Promise<void> => {
    const job = jobs.shift();
    if (job) await pullRequests.run({ payload: job.payload, attempts: 1 } as never);
  };
  return {
    receive: async (event) =>
      void (await pullRequests.receive(application, host, event, { source: 'signed' })),
    workOnce,
    async workAll() {
      while (jobs.length > 0) await workOnce();
    },
    shown: () => store.rows.map(({ pullRequestNumber: number, commit }) => ({ number, commit })),
  };
}

function pullRequestsOn(
  application: ApplicationRecord,
  previews: PreviewDeployments,
  jobs: NewJob[],
): PullRequests {
  const parts: ApplicationPreviewDeps = {
    previews,
    applications: { find: async () => application },
    deployments: { accept: async () => ({}) as never, isWorking: async () => true },
    remove: async (_application, { previewDeploymentId, organizationId }) =>
      void (await previews.remove(previewDeploymentId, organizationId)),
    changeRoutes: (_serverKey, write, change) => write(change),
    withinQuota: (_organizationId, work) => work(),
  };
  return createPullRequests({
    kinds: { application: createApplicationPreviews(parts), compose: undefined as never },
    states: statesInMemory(),
    held: {
      approvalOf: async () => undefined,
      hold: async () => undefined,
      forget: async () => undefined,
    },
    queue: {
      enqueue: async (job) => String(jobs.push(job)),
      cancelQueued: async () => [],
      cancelRunning: async () => undefined,
      wake: () => undefined,
    },
    comments: {
      sync: async () => undefined,
      isCurrent: () => true,
      tellRemoved: async () => undefined,
      tellLimit: async () => undefined,
    },
    transaction: (work) => work(),
    now: () => isoTime(systemClock),
    apiOf: async () => undefined,
    warn: (sentence) => {
      throw new Error(sentence);
    },
    noteSkipped: async () => undefined,
  });
}

function statesInMemory(): States {
  const states = new Map<string, { action: PullRequestEvent['action']; updatedAt: string }>();
  const keyOf = ({ repository, number }: PullRequestEvent): string => `${repository.toLowerCase()} ${number}`;
  const isSuperseded: States['isSuperseded'] = async (_service, event) => {
    const { action, updatedAt } = event;
    const known = states.get(keyOf(event));
    return updatedAt !== undefined && known !== undefined && isOlder({ action, updatedAt }, known);
  };
  return {
    isSuperseded,
    async isOutdated(service, event) {
      const { action, updatedAt } = event;
      if (updatedAt === undefined) return false;
      if (await isSuperseded(service, event)) return true;
      states.set(keyOf(event), { action, updatedAt });
      return false;
    },
  };
}

function storeInMemory(): PreviewDeploymentStore & { rows: PreviewDeploymentRecord[] } {
  const rows: PreviewDeploymentRecord[] = [];
  const isLike = (where: object) => (row: object) =>
    Object.entries(where).every(([name, value]) => Reflect.get(row, name) === value);
  const update = async (where: object, patch: object): Promise<number> => {
    const found = rows.filter(isLike(where));
    for (const row of found) Object.assign(row, patch);
    return found.length;
  };
  return {
    rows,
    insert: async (record) => void rows.push({ ...record }),
    find: async (where) => rows.find(isLike(where)),
    list: async (where) => rows.filter(isLike(where)),
    update,
    revise: update,
    async remove(where) {
      const found = rows.filter(isLike(where));
      for (const row of found) rows.splice(rows.indexOf(row), 1);
      return found.length;
    },
    decode: (row) => row as never,
    countOf: async (applicationId) => rows.filter((row) => row.applicationId === applicationId).length,
    removeDomains: async () => undefined,
    transaction: (work) => work(),
  };
}
