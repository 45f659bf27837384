import { AppError, badField } from '../../domain/errors.ts';
import type { SurroundingBlocks } from '../../domain/variables/env.ts';
import { secretNames, type SecretName } from '../../domain/variables/secret-env.ts';
import { readsSecrets } from '../../domain/access/permissions.ts';
import { composeRef } from '../../domain/names/service-ref.ts';
import type { ComposeRecord, DomainRecord } from '../../db/tables.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import { acceptAsked, startedBy, type Accepting, type Deployments } from '../deployment/deployment.ts';
import type { Interruption } from '../interruption/interruption.ts';
import type { Mount } from '../mount/mount.ts';
import type { Members } from '../organization/member.ts';
import type { EnvironmentOfService, LiveReader } from '../service/service.ts';
import { approveSavedFile, type ComposeApprovals } from './approvals.ts';
import {
  checkDeployable,
  servicesOf,
  type ComposeInput,
  type Composes,
  type RepositoryFile,
} from './compose.ts';
import type { composeContract } from './contract.ts';
import { createDeleteCompose } from './deletion.ts';
import { outputEvents } from '../service/output-events.ts';
import { checkFile, type CheckParts, type Judgement } from './judgement/checking.ts';
import { planOfRaw, type Around } from './judgement/judging.ts';
import type { ComposeRuntime } from './runtime.ts';
import { askedDeletion, type UnfinishedDeletions } from '../unfinished-deletion/unfinished-deletion.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';

export interface ComposeDesk {
  /** Keeps a deletion whose containers go on, to be tried again. */
  unfinished: Pick<UnfinishedDeletions, 'keep'>;
  composes: Composes;
  deployments: Deployments;
  runtime: ComposeRuntime;
  queue: Queue;
  logs: DeploymentLogs;
  /** Removes every preview of its pull requests. */
  removePreviews(compose: ComposeRecord): Promise<void>;
  /** What ends its schedules once its record is gone. */
  leaveSchedules(composeId: string): Promise<() => Promise<void>>;
  /** Ends the databases that a preview has of its own. */
  removeDatabases(composeId: string, userId?: string): Promise<void>;
  interruption: Interruption;
  members: Members;
  liveOf: LiveReader;
  pendingChanges(compose: ComposeRecord): Promise<string[]>;
  /** Whether this is the organization that the installation was made with. */
  isInstallations(organizationId: string): Promise<boolean>;
  /** BAD_REQUEST when a new service needs a server of its own and names none. */
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  /** Refuses a server that it may not go to; gives how sentences name it. */
  requireMovable(compose: ComposeRecord, serverId: string | null, actor: Actor): Promise<string>;
  /** Changes the server of one that was never released. */
  place(composeId: string, serverKey: string): Promise<void>;
  environment(environmentId: string): Promise<EnvironmentOfService>;
  domains(composeId: string, organizationId: string): Promise<DomainRecord[]>;
  mounts(composeId: string, organizationId: string): Promise<Mount[]>;
  hosts: Hosts;
  changeRoutes: ChangeRoutes;
  approvals: ComposeApprovals;
  /** Variable blocks of project and environment. */
  envBlocks(compose: ComposeRecord): Promise<SurroundingBlocks>;
  /** What a file is judged by before it is deployed. */
  checking: CheckParts;
  /** The file as the repository has it now; throws why it cannot be read. */
  repositoryFile(compose: ComposeRecord, signal: AbortSignal): Promise<RepositoryFile>;
}

const aroundOf = async (desk: ComposeDesk, compose: ComposeRecord): Promise<Around> => ({
  blocks: await desk.envBlocks(compose),
  mounts: await desk.mounts(compose.composeId, compose.organizationId),
});

/** Judges a file by what the compose service has around it, or as that of a new one. */
async function checkSaved(
  desk: ComposeDesk,
  { actor }: CallContext,
  {
    composeId,
    composeFile,
    env,
  }: { composeId?: string | undefined; composeFile: string; env?: string | undefined },
): Promise<Judgement> {
  const stored =
    composeId === undefined ? undefined : await desk.composes.one(composeId, actor.organizationId);
  const compose = stored && { ...stored, composeFile, env: env ?? stored.env };
  const place = compose && {
    compose,
    around: await aroundOf(desk, compose),
    approved: (await desk.approvals.shown(compose)).approval?.dangers ?? [],
  };
  return checkFile(desk.checking, { composeFile, env, place, readsSecrets: readsSecrets(actor, 'compose') });
}

export function composeHandlers(desk: ComposeDesk): Handlers<typeof composeContract, CallContext> {
  const { composes, deployments, interruption, members, runtime } = desk;
  const found = ({ actor }: CallContext, { composeId }: { composeId: string }): Promise<ComposeRecord> =>
    composes.one(composeId, actor.organizationId);
  const save = async (
    context: CallContext,
    { composeId, ...input }: ComposeInput & { composeId: string },
  ): Promise<Shown> => {
    const { actor, write } = context;
    return shown(
      await write(async () => {
        const compose = await composes.update(composeId, actor, input);
        if (input.composeFile) await approveSaved(context, compose);
        return compose;
      }),
    );
  };
  const approveSaved = (context: CallContext, compose: ComposeRecord): Promise<void> =>
    approveSavedFile(desk.approvals, context, compose);

  async function accept(context: CallContext, compose: ComposeRecord, accepting: Accepting): Promise<true> {
    await checkDeployable(compose, desk.hosts);
    if (compose.sourceType === 'raw') await planOfRaw(compose, await aroundOf(desk, compose));
    await acceptAsked(desk, context, composeRef(compose.composeId), accepting);
    return true;
  }

  /** Ends a deployment that is under way, then does it to the compose as it is then. */
  async function byHand(
    context: CallContext,
    input: { composeId: string },
    operation: 'start' | 'stop',
  ): Promise<Shown> {
    const { composeId } = await found(context, input);
    await interruption.endThen(composeRef(composeId), { operation, userId: context.actor.userId }, async () =>
      runtime[operation](await found(context, input)),
    );
    return shown(await found(context, input));
  }

  return {
    async create(context, input) {
      const { actor, write } = context;
      const { customGitUrl, customGitBranch, composePath, ...ofNew } = input;
      if (customGitUrl && input.composeFile)
        throw badField('composeFile', 'cannot be given with customGitUrl, whose repository has the file');
      for (const [field, value] of Object.entries({ customGitBranch, composePath }))
        if (value !== undefined && customGitUrl === undefined)
          throw badField(field, 'belongs to customGitUrl, which is missing');
      await desk.requireServer(input.serverId, actor.organizationId);
      return write(async () => {
        const made = await composes.create(actor, ofNew);
        const source = customGitUrl && { sourceType: 'git' as const, customGitUrl, composePath };
        const compose = source
          ? await composes.update(made.composeId, actor, {
              ...source,
              customGitBranch: customGitBranch ?? 'main',
            })
          : made;
        await members.grantCreated(actor, 'accessedServices', compose.composeId);
        await approveSaved(context, compose);
        return shown(compose);
      });
    },
    async one(context, input) {
      const compose = await found(context, input);
      const { composeId, organizationId, environmentId } = compose;
      const [environment, domains, mounts, past, approvals] = await Promise.all([
        desk.environment(environmentId),
        desk.domains(composeId, organizationId),
        desk.mounts(composeId, organizationId),
        deployments.recent(composeRef(composeId)),
        desk.approvals.shown(compose),
      ]);
      return {
        ...shown(compose),
        ...approvals,
        live: desk.liveOf(composeRef(composeId)),
        pendingChanges: await desk.pendingChanges(compose),
        environment,
        domains,
        mounts,
        deployments: past,
      };
    },
    update: save,
    saveEnvironment: save,
    refreshToken: async ({ actor, write }, { composeId }) =>
      shown(await write(() => composes.refreshToken(composeId, actor.organizationId))),
    move: async ({ actor, write }, { composeId, targetEnvironmentId }) =>
      shown(await write(() => composes.move(composeId, actor.organizationId, targetEnvironmentId))),
    moveToServer: (context, input) => moveToServer(desk, context, input),
    check: (context, input) => checkSaved(desk, context, input),
    async loadServices(context, { composeId, ...page }) {
      const compose = await found(context, { composeId });
      const isRaw = compose.sourceType === 'raw';
      return paginate(
        await servicesOf(
          compose,
          isRaw
            ? { text: compose.composeFile, folder: '', files: new Map() }
            : await desk.repositoryFile(compose, context.signal),
          isRaw ? 'composeFile' : 'composePath',
        ),
        page,
        (name) => name,
      );
    },
    deploy: async (context, { title, description, ...input }) =>
      accept(context, await found(context, input), { kind: 'deploy', title, description }),
    async redeploy(context, { title, description, ...input }) {
      const compose = await found(context, input);
      await checkDeployable(compose, desk.hosts);
      if (!(await deployments.live(compose)))
        throw new AppError(
          'PRECONDITION_FAILED',
          'Nothing is deployed yet, so there is no version to deploy again: deploy first.',
        );
      return accept(context, compose, { kind: 'redeploy', title, description });
    },
    async approve({ actor, write }, { composeId, digest }) {
      const compose = await composes.find(composeId);
      if (!compose)
        throw new AppError('NOT_FOUND', 'There is no such compose service. It may have been deleted.');
      return write(() => desk.approvals.approve(compose, digest, actor));
    },
    async awaitingApproval({ actor: { organizationId } }, page) {
      const isInstallations = await desk.isInstallations(organizationId);
      return paginate(
        await desk.approvals.waiting(isInstallations ? undefined : organizationId),
        page,
        ({ composeId }) => composeId,
      );
    },
    async start(context, input) {
      const { name, liveDeploymentId } = await found(context, input);
      if (liveDeploymentId === null) throw notDeployedYet(name);
      return byHand(context, input, 'start');
    },
    stop: (context, input) => byHand(context, input, 'stop'),
    async killBuild(context, input) {
      await interruption.killBuild(composeRef((await found(context, input)).composeId));
      return shown(await found(context, input));
    },
    async cleanQueues(context, input) {
      const compose = await found(context, input);
      // Before a first release nothing runs.
      await interruption.cancelWaiting(
        composeRef(compose.composeId),
        async () => compose.liveDeploymentId !== null && runtime.hasTasks(compose),
      );
      return shown(await found(context, input));
    },
    readLogs: async (context, { composeId, ...options }) =>
      runtime.readLogs(await found(context, { composeId }), options),
    async *logs(context, { composeId, tail, serviceName }) {
      const compose = await found(context, { composeId });
      yield* outputEvents(context, {
        read: (options) => runtime.readLogs(compose, { tail, serviceName, ...options }),
        follow: (options) => runtime.followLogs(compose, { tail, serviceName, ...options }),
      });
    },
    delete: async (context, { composeId, deleteVolumes }) =>
      remove(desk, context, { compose: await found(context, { composeId }), deleteVolumes }),
  };
}

async function moveToServer(
  { composes, deployments, place, queue, requireMovable }: ComposeDesk,
  context: CallContext,
  { composeId, serverId }: { composeId: string; serverId: string | null },
): Promise<{ deploymentId: string | null }> {
  const compose = await composes.one(composeId, context.actor.organizationId);
  const title = `Move to ${await requireMovable(compose, serverId, context.actor)}`;
  const to = serverKeyOf({ serverId });
  const deployment = await context.write(async () => {
    if (compose.liveDeploymentId === null) return place(composeId, to);
    const move = { from: serverKeyOf(compose), to };
    const accepting = { kind: 'move', title, description: '', move } as const;
    return deployments.accept(composeRef(composeId), { ...accepting, startedBy: startedBy(context.actor) });
  });
  queue.wake();
  if (deployment) context.announce(deployment.deploymentId);
  return { deploymentId: deployment?.deploymentId ?? null };
}

async function remove(
  desk: ComposeDesk,
  context: CallContext,
  { compose, deleteVolumes }: { compose: ComposeRecord; deleteVolumes: boolean },
) {
  await desk.removePreviews(compose);
  const { userId } = context.actor;
  const by = { serviceId: compose.composeId, userId, deleteVolumes };
  const keptVolumes = await createDeleteCompose(desk)(compose, {
    write: context.write,
    userId,
    deleteVolumes,
    stays: (reason) => desk.unfinished.keep(askedDeletion('compose', compose, by), reason),
  });
  return { ...shown(compose), keptVolumes };
}

type Shown = Omit<
  ComposeRecord,
  'approval' | 'awaitsApproval' | 'secretEnv' | 'previewSecretEnv' | 'previewOf' | 'madeFrom'
> & {
  secretEnvNames: SecretName[];
  previewSecretEnvNames: SecretName[];
};

function shown({
  approval: _approval,
  awaitsApproval: _awaits,
  secretEnv,
  previewSecretEnv,
  previewOf: _previewOf,
  madeFrom: _madeFrom,
  ...compose
}: ComposeRecord): Shown {
  return {
    ...compose,
    secretEnvNames: secretNames(secretEnv),
    previewSecretEnvNames: secretNames(previewSecretEnv),
  };
}
