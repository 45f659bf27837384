import { AppError } from '../../domain/errors.ts';
import type { EnvBlocks } from '../../domain/env.ts';
import { composeRef, type ServiceRef } from '../../domain/service-ref.ts';
import type { ComposeRecord, DomainRecord } from '../../db/tables.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Queue } from '../../ports/queue.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Accepting, Deployments } from '../deployment/deployment.ts';
import type { Mount } from '../mount/mount.ts';
import type { Members } from '../organization/member.ts';
import type { EnvironmentOfService } from '../service/service.ts';
import type { Turns } from '../service/turns.ts';
import { checkDeployable, servicesOf, type ComposeInput, type Composes } from './compose.ts';
import type { composeContract } from './contract.ts';
import { composeSourceTypes } from './record.ts';
import type { ComposeRuntime } from './runtime.ts';

export interface ComposeDesk {
  composes: Composes;
  deployments: Deployments;
  runtime: ComposeRuntime;
  turns: Turns;
  queue: Queue;
  logs: DeploymentLogs;
  builds: {
    killBuild(service: ServiceRef): Promise<boolean>;
    end(service: ServiceRef, reason: string): Promise<void>;
  };
  members: Members;
  /** BAD_REQUEST when a new service needs a server of its own and names none. */
  requireServer(serverId: string | null | undefined): Promise<void>;
  environment(environmentId: string): Promise<EnvironmentOfService>;
  domains(composeId: string, organizationId: string): Promise<DomainRecord[]>;
  mounts(composeId: string, organizationId: string): Promise<Mount[]>;
  changeRoutes: ChangeRoutes;
  /** Variable blocks of project and environment. */
  envBlocks(environmentId: string): Promise<Omit<EnvBlocks, 'service'>>;
  /** The file as the repository has it now; throws why it cannot be read. */
  repositoryFile(compose: ComposeRecord, signal: AbortSignal): Promise<string>;
}

export function composeHandlers(desk: ComposeDesk): Handlers<typeof composeContract, CallContext> {
  const { composes, deployments, members, runtime } = desk;
  const found = ({ actor }: CallContext, { composeId }: { composeId: string }): Promise<ComposeRecord> =>
    composes.one(composeId, actor.organizationId);
  const save = async (
    { actor, write }: CallContext,
    { composeId, ...input }: ComposeInput & { composeId: string },
  ): Promise<Shown> => shown(await write(() => composes.update(composeId, actor, input)));

  async function accept(context: CallContext, compose: ComposeRecord, accepting: Accepting): Promise<true> {
    checkDeployable(compose);
    if (compose.sourceType === 'raw') await checkRaw(compose, await desk.envBlocks(compose.environmentId));
    await context.write(async () => {
      await composes.patch(compose.composeId, { mayReachServer: context.actor.role !== 'member' });
      await deployments.accept(composeRef(compose.composeId), accepting);
    });
    desk.queue.wake();
    return true;
  }

  return {
    async create({ actor, write }, input) {
      await desk.requireServer(input.serverId);
      return write(async () => {
        const compose = await composes.create(actor, input);
        await members.grantCreated(actor, 'accessedServices', compose.composeId);
        return shown(compose);
      });
    },
    async one(context, input) {
      const compose = await found(context, input);
      const { composeId, organizationId, environmentId } = compose;
      const [environment, domains, mounts, past] = await Promise.all([
        desk.environment(environmentId),
        desk.domains(composeId, organizationId),
        desk.mounts(composeId, organizationId),
        deployments.recent(composeRef(composeId)),
      ]);
      return { ...shown(compose), environment, domains, mounts, deployments: past };
    },
    update: save,
    saveEnvironment: save,
    refreshToken: async ({ actor, write }, { composeId }) =>
      shown(await write(() => composes.refreshToken(composeId, actor.organizationId))),
    move: async ({ actor, write }, { composeId, targetEnvironmentId }) =>
      shown(await write(() => composes.move(composeId, actor.organizationId, targetEnvironmentId))),
    async loadServices(context, { composeId, ...page }) {
      const compose = await found(context, { composeId });
      const isRaw = compose.sourceType === 'raw';
      return paginate(
        await servicesOf(
          compose,
          isRaw ? compose.composeFile : await desk.repositoryFile(compose, context.signal),
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
      checkDeployable(compose);
      if (!(await deployments.live(compose)))
        throw new AppError(
          'PRECONDITION_FAILED',
          'Nothing is deployed yet, so there is no version to deploy again: deploy first.',
        );
      return accept(context, compose, { kind: 'redeploy', title, description });
    },
    start: async (context, input) => shown(await runtime.start(await found(context, input))),
    stop: async (context, input) => shown(await runtime.stop(await found(context, input))),
    async killBuild(context, input) {
      await desk.builds.killBuild(composeRef((await found(context, input)).composeId));
      return shown(await found(context, input));
    },
    async cleanQueues(context, input) {
      const compose = await found(context, input);
      // Before a first release nothing runs.
      await deployments.cancelQueued(
        composeRef(compose.composeId),
        async () => compose.liveDeploymentId !== null && runtime.hasTasks(compose),
      );
      return shown(await found(context, input));
    },
    readLogs: async (context, { composeId, ...options }) =>
      runtime.readLogs(await found(context, { composeId }), options),
    delete: async (context, { composeId, deleteVolumes }) =>
      remove(desk, context, { compose: await found(context, { composeId }), deleteVolumes }),
  };
}

/** What is wrong with a file that stands here is told at once, and not by a deployment. */
async function checkRaw(compose: ComposeRecord, around: Omit<EnvBlocks, 'service'>): Promise<void> {
  const [{ translate }, { resolveBlock }] = await Promise.all([
    import('./translation/translate.ts'),
    import('../../domain/env.ts'),
  ]);
  const blocks = { ...around, service: compose.env };
  translate({
    text: compose.composeFile,
    field: 'composeFile',
    folder: undefined,
    variables: resolveBlock('env', compose.env, { ...blocks, service: '' }),
    blocks,
  });
}

async function remove(
  desk: ComposeDesk,
  context: CallContext,
  { compose, deleteVolumes }: { compose: ComposeRecord; deleteVolumes: boolean },
) {
  const { composeId, organizationId } = compose;
  const service = composeRef(composeId);
  // First what waits: it would begin as soon as what runs has ended.
  await desk.deployments.cancelQueued(service, async () => false);
  await desk.builds.end(service, 'The compose service is being deleted.');
  const past = await desk.deployments.all(service);
  // The reconciler would make services again whose record still stands.
  const keptVolumes = await desk.turns.take(composeId, async () => {
    // Without a deployment the engine never heard of it.
    const kept = past.length > 0 ? await desk.runtime.remove(compose, { deleteVolumes }) : [];
    const forget = (): Promise<ComposeRecord> => desk.composes.remove(composeId, organizationId);
    const hasDomains = (await desk.domains(composeId, organizationId)).length > 0;
    await (hasDomains ? desk.changeRoutes(context.write, forget) : context.write(forget));
    return kept;
  });
  for (const { deploymentId } of past) await desk.logs.remove(deploymentId);
  return { ...shown(compose), keptVolumes };
}

type Shown = Omit<ComposeRecord, 'sourceType' | 'triggerType'> & {
  sourceType: (typeof composeSourceTypes)[number];
  triggerType: 'push' | 'tag';
};

/** Only known types are ever stored. */
function shown(compose: ComposeRecord): Shown {
  return {
    ...compose,
    sourceType: composeSourceTypes.find((type) => type === compose.sourceType) ?? 'raw',
    triggerType: compose.triggerType === 'tag' ? 'tag' : 'push',
  };
}
