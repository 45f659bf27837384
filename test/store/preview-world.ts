/** An application whose pull requests become previews, on a real database with a git host of the tests. */
import { acceptedToken, type GitHost } from '../git-host/git-host.ts';
import type { worlds, World } from '../http/worlds/world.ts';
import type { Database } from '../../server/src/db/database.ts';
import { tableStore } from '../../server/src/db/table-store.ts';
import type { ApplicationRecord, ComposeRecord } from '../../server/src/db/tables.ts';
import type { PullRequestEvent } from '../../server/src/domain/git/git-event.ts';
import { previewDeploymentContract } from '../../server/src/modules/preview-deployment/contract.ts';
import {
  previewDeploymentHandlers,
  type PreviewDesk as PreviewRouterDeps,
} from '../../server/src/modules/preview-deployment/handlers.ts';
import type { EventSource } from '../../server/src/modules/preview-deployment/pull-request/pull-request.ts';
import type { PreviewDeploymentRecord } from '../../server/src/modules/preview-deployment/store.ts';
import { router, type Router } from '../../server/src/procedure/registry.ts';
import { plainCompose } from '../world/plain-compose.ts';
import { idleInterruption } from './interruption.ts';
import { createPreviewDesk, type PreviewDesk } from './preview-desk.ts';

/** Previews of one application with a linked git host. */
export interface PreviewWorld extends World {
  desk: PreviewDesk;
  /** What a pull request's event comes to, once its jobs have run. */
  tell(event?: Partial<PullRequestEvent>, source?: EventSource, webhookDeliveryId?: string): Promise<unknown>;
  all(): Promise<PreviewDeploymentRecord[]>;
  set(patch: Partial<ApplicationRecord>): Promise<void>;
}

export async function beginPreviews(
  createWorld: ReturnType<typeof worlds>,
  host: GitHost,
  settings: Partial<ApplicationRecord> = {},
): Promise<PreviewWorld> {
  const desks: PreviewDesk[] = [];
  const world = await createWorld((database: Database) => {
    const desk = createPreviewDesk(database);
    desks.push(desk);
    return [previewRouter(desk)];
  });
  const [desk] = desks;
  if (!desk) throw new Error('The desk was not made.');
  const { applicationId } = world.place;
  const { organizationId } = world.people.owner;
  await desk.insertLink({
    gitProviderId: 'link',
    organizationId,
    provider: 'gitea',
    apiUrl: `${host.url}/api/v1`,
    accessToken: acceptedToken,
  });
  const set = (patch: Partial<ApplicationRecord>): Promise<void> =>
    desk.applications.patch(applicationId, patch);
  await set({
    appName: 'shop',
    sourceType: 'gitea',
    owner: 'acme',
    repository: 'shop',
    branch: 'main',
    githubId: 'link',
    isPreviewDeploymentsActive: true,
    previewWildcard: '*.preview.example.com',
    ...settings,
  });
  host.writers.add('ada');
  return {
    ...world,
    desk,
    set,
    async tell(event = {}, source = 'signed', webhookDeliveryId) {
      const application = await desk.applications.one(applicationId, organizationId);
      const whole = { ...opened, ...event };
      const answer = await desk.previewing.pullRequests.receive(application, 'gitea', whole, {
        source,
        webhookDeliveryId,
      });
      await desk.work();
      return answer;
    },
    all: () => desk.previews.byApplication(applicationId, organizationId),
  };
}

/** A compose service of the same repository, which may have previews too. */
export async function insertPreviewedCompose(
  { people, place, database }: Pick<PreviewWorld, 'people' | 'place' | 'database'>,
  composeId: string,
  settings: Partial<ComposeRecord> = {},
): Promise<void> {
  await tableStore(database, 'compose').insert({
    ...plainCompose,
    composeId,
    organizationId: people.owner.organizationId,
    environmentId: place.environmentId,
    name: 'Shop',
    appName: 'shop-stack',
    refreshToken: 'token-of-shop',
    createdAt: '2026-01-01T00:00:00.000Z',
    sourceType: 'gitea',
    owner: 'acme',
    repository: 'shop',
    branch: 'main',
    composePath: 'compose.yml',
    githubId: 'link',
    previewWildcard: '*.preview.example.com',
    ...settings,
  });
}

const previewRouter = (desk: PreviewDesk): Router =>
  router(
    'previewDeployment',
    previewDeploymentContract,
    previewDeploymentHandlers(desk.previews, {
      liveOf: () => null,
      pendingChanges: async () => [],
      runtime: desk.runtime,
      applications: desk.applications,
      composes: desk.composes,
      composePreviews: desk.previewing.composePreviews,
      composeRuntime: noRuntime,
      composePendingChanges: async () => [],
      deployments: desk.deployments,
      queue: desk.queue,
      interruption: idleInterruption(desk.deployments),
      remove: desk.previewing.remove,
      byHand: desk.previewing.byHand,
      approve: desk.previewing.approve,
      held: desk.previewing.held,
      previewDatabases: desk.stores.previewDatabases,
    }),
  );

/** Nothing is released here. */
const absent = async (): Promise<never> => {
  throw new Error('Nothing is released here.');
};
const noRuntime: PreviewRouterDeps['composeRuntime'] = {
  start: absent,
  stop: absent,
  readLogs: async () => [],
  async *followLogs() {},
};

export const opened: PullRequestEvent = {
  kind: 'pullRequest',
  action: 'open',
  number: 12,
  title: 'Add a door',
  baseBranch: 'main',
  headBranch: 'door',
  commit: 'a'.repeat(40),
  isFork: false,
  labels: [],
  author: { id: '9', name: 'ada' },
  repository: 'acme/shop',
};
