import { perSaveProcedure } from '../../domain/git/git-host.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { builtPrefix } from '../../domain/names/image-reference.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import { randomId } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { Queue } from '../../ports/queue.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { Handlers, UploadedFile } from '../../procedure/procedure.ts';
import { acceptAsked, startedBy, type Accepting, type Deployments } from '../deployment/deployment.ts';
import type { HostReach } from '../host-reach/host-reach.ts';
import type { Interruption } from '../interruption/interruption.ts';
import type { Members } from '../organization/member.ts';
import type { ApplicationInput, Applications } from './application.ts';
import type { applicationContract } from './contract.ts';
import type { ApplicationRuntime } from './runtime.ts';
import { withoutAliases } from './settings.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import type { ApplicationViews } from './view.ts';
import { shown } from './view.ts';
import { outputEvents } from '../service/output-events.ts';
import { askedDeletion, type UnfinishedDeletions } from '../unfinished-deletion/unfinished-deletion.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';

export interface ApplicationDesk {
  /** Keeps a deletion whose containers go on, to be tried again. */
  unfinished: Pick<UnfinishedDeletions, 'keep'>;
  applications: Applications;
  deployments: Deployments;
  runtime: ApplicationRuntime;
  views: ApplicationViews;
  members: Members;
  queue: Queue;
  logs: DeploymentLogs;
  /** Resolves with a function that ends its schedules, to be called once its record is gone. */
  leaveSchedules(applicationId: string): Promise<() => Promise<void>>;
  interruption: Interruption;
  /** Whether this is a cloud installation, where each service has a server of its own. */
  isCloud(): Promise<boolean>;
  /** Throws BAD_REQUEST when a new service must name a server and does not. */
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  /**
   * Unpacks an upload into a folder of its own and resolves with its path; `settle` removes former uploads.
   */
  uploads: {
    keep(applicationId: string, file: UploadedFile, current: string | null): Promise<string>;
    chunksOf(
      applicationId: string,
      current: string | null,
    ): Promise<{ upload: string; names: Buffer } | undefined>;
    settle(applicationId: string, path: string, current: () => Promise<string | null>): Promise<void>;
    forget(path: string): Promise<void>;
    forgetAll(applicationId: string): Promise<void>;
  };
  /** The host of the application; undefined when it is not connected. */
  host(application: ApplicationRecord): Promise<{ engine: Pick<Engine, 'removeImage'> } | undefined>;
  /** Applies the routes of the application's server. */
  applyRoutes(application: ApplicationRecord): Promise<void>;
  /** Resolves with the name of the server that the application may move to; throws when it may not. */
  requireMovable(
    application: ApplicationRecord,
    serverId: string | null,
    by: Pick<CallContext, 'actor' | 'hasHostReach'>,
  ): Promise<string>;
  /** Records the new server of an application that was never released. */
  place(applicationId: string, serverId: string | null): Promise<void>;
  keeping: HostReach['keeping'];
  /** Creates an application and a generated domain for it, both or neither. */
  withDomain(
    serverId: string | null | undefined,
    write: CallContext['write'],
    create: () => Promise<ApplicationRecord>,
  ): Promise<{ application: ApplicationRecord; address: string }>;
  /** Ends and removes every preview of the application. */
  removePreviews(application: ApplicationRecord): Promise<void>;
}

export function applicationHandlers(
  desk: ApplicationDesk,
): Handlers<typeof applicationContract, CallContext> {
  const { applications, deployments, interruption, runtime, members, queue } = desk;
  const found = (
    { actor }: CallContext,
    { applicationId }: { applicationId: string },
  ): Promise<ApplicationRecord> => applications.one(applicationId, actor.organizationId);

  const save = async (
    context: CallContext,
    { applicationId, ...input }: ApplicationInput & { applicationId: string },
  ): Promise<ReturnType<typeof shown>> =>
    shown(
      await changing(context, applicationId, () =>
        applications.update(applicationId, context.actor.organizationId, input),
      ),
    );
  /** A change by somebody who may approve keeps the approvals of its mounts; any other change ends them. */
  const changing = async <T>(
    context: CallContext,
    applicationId: string,
    change: () => Promise<T>,
  ): Promise<T> =>
    (await context.hasHostReach())
      ? context.writeRecord(() => desk.keeping(applicationRef(applicationId), context.actor, change))
      : context.writeRecord(change);

  async function accept(
    context: CallContext,
    input: { applicationId: string },
    accepting: Accepting,
  ): Promise<true> {
    await acceptAsked(desk, context, applicationRef(input.applicationId), accepting);
    return true;
  }

  /** Ends a deployment that is under way, then does the work on the application as it is after that. */
  async function byHand(
    context: CallContext,
    input: { applicationId: string },
    operation: 'start' | 'stop',
  ): Promise<ApplicationRecord> {
    const { applicationId } = await found(context, input);
    await interruption.endThen(
      applicationRef(applicationId),
      { operation, userId: context.actor.userId },
      async () => runtime[operation](await found(context, input)),
    );
    return found(context, input);
  }

  return {
    async create({ actor, write }, input) {
      await desk.requireServer(input.serverId, actor.organizationId);
      const source = sourceOf(input);
      const create = async (): Promise<ApplicationRecord> => {
        const application = await applications.create({ ...input, organizationId: actor.organizationId });
        await members.grantCreated(actor, 'accessedServices', application.applicationId);
        return source
          ? applications.update(application.applicationId, actor.organizationId, source)
          : application;
      };
      if (!input.withDomain) return { ...shown(await write(create)), address: null };
      const { application, address } = await desk.withDomain(input.serverId, write, create);
      return { ...shown(application), address };
    },
    one: async (context, input) => desk.views.whole(await found(context, input), context.actor),
    async update(context, { environmentId, applicationStatus, ...input }) {
      const { actor } = context;
      const { applicationId, ...settings } = withoutAliases(input);
      await changing(context, applicationId, async () => {
        const updated = await applications.update(applicationId, actor.organizationId, settings);
        if (environmentId !== undefined && environmentId !== updated.environmentId)
          await applications.move(applicationId, actor.organizationId, environmentId);
        if (applicationStatus !== undefined) await applications.patch(applicationId, { applicationStatus });
      });
      return { success: true };
    },
    saveEnvironment: save,
    saveBuildType: (context, input) => save(context, withoutAliases(input)),
    saveGitProvider: (context, input) => save(context, { ...input, sourceType: 'git' }),
    ...perSaveProcedure(
      (sourceType): ReturnType<typeof applicationHandlers>['saveGithubProvider'] =>
        (context, input) =>
          save(context, { ...input, sourceType }),
    ),
    saveContainerProvider: (context, input) => save(context, { ...input, sourceType: 'container' }),
    async uploadedChunks(context, input) {
      const { applicationId, uploadPath } = await found(context, input);
      const chunks = await desk.uploads.chunksOf(applicationId, uploadPath);
      return { upload: chunks?.upload ?? null, names: chunks?.names.toString('base64') ?? '' };
    },
    async dropDeployment(context, { applicationId, dropBuildPath }, file) {
      const { uploadPath: current } = await found(context, { applicationId });
      const uploadPath = await desk.uploads.keep(applicationId, file, current);
      try {
        const { deploymentId } = await context.write(async () => {
          await applications.update(applicationId, context.actor.organizationId, {
            sourceType: 'drop',
            buildPath: dropBuildPath,
          });
          await applications.patch(applicationId, { uploadPath });
          return deployments.accept(applicationRef(applicationId), {
            kind: 'deploy',
            title: 'Upload',
            startedBy: startedBy(context.actor),
            description: file.fileName.slice(0, 200),
          });
        });
        context.announce(deploymentId);
      } catch (error) {
        await desk.uploads.forget(uploadPath);
        throw error;
      }
      queue.wake();
      await desk.uploads.settle(
        applicationId,
        uploadPath,
        async () => (await found(context, { applicationId })).uploadPath,
      );
      return true;
    },
    async start(context, input) {
      const { name, liveDeploymentId } = await found(context, input);
      if (liveDeploymentId === null) throw notDeployedYet(name);
      return byHand(context, input, 'start');
    },
    stop: (context, input) => byHand(context, input, 'stop'),
    async reload(context, { applicationId, appName }) {
      const application = await found(context, { applicationId });
      if (appName !== application.appName) throw badField('appName', 'is not the name of this application');
      await interruption.unlessDeploying(applicationRef(applicationId), async () =>
        runtime.reload(await found(context, { applicationId })),
      );
      return { success: true };
    },
    async scale(context, { applicationId, replicas }) {
      await save(context, { applicationId, replicas });
      await runtime.scale(await found(context, { applicationId }));
      return shown(await found(context, { applicationId }));
    },
    async restart(context, input) {
      await runtime.restart(await found(context, input));
      return shown(await found(context, input));
    },
    deploy: (context, input) => accept(context, input, { kind: 'deploy', ...asked(input) }),
    async redeploy(context, input) {
      if (!(await deployments.live(await found(context, input))))
        throw new AppError(
          'PRECONDITION_FAILED',
          'Nothing is deployed yet, so there is no version to rebuild: deploy first.',
        );
      return accept(context, input, { kind: 'redeploy', ...asked(input) });
    },
    async cancelDeployment(context, input) {
      const { serverId, applicationId } = await found(context, input);
      if (serverId !== null && (await desk.isCloud())) {
        const by = { operation: 'cancelDeployment', userId: context.actor.userId } as const;
        await interruption.endThen(applicationRef(applicationId), by, async () => undefined);
        return { success: true, message: 'The deployments of this application were ended.' };
      }
      throw new AppError(
        'PRECONDITION_FAILED',
        'cancelDeployment works only in cloud environments with remote servers. Use ' +
          'application.killBuild to end a running build, and application.cleanQueues to cancel queued ' +
          'ones.',
      );
    },
    async killBuild(context, input) {
      await interruption.killBuild(applicationRef((await found(context, input)).applicationId));
      return shown(await found(context, input));
    },
    async cleanQueues(context, input) {
      const application = await found(context, input);
      await interruption.cancelWaiting(applicationRef(application.applicationId), () =>
        runtime.hasTasks(application),
      );
      return shown(await found(context, input));
    },
    async clearDeployments(context, input) {
      const application = await found(context, input);
      const removed = await deployments.clear(applicationRef(application.applicationId));
      // The live deployment may be a rollback to the image of a deployment that is being removed.
      const needed = new Set(
        (await deployments.all(applicationRef(application.applicationId))).map(({ image }) => image),
      );
      await removeBuilt(
        await desk.host(application),
        removed.flatMap(({ image }) => (image === null || needed.has(image) ? [] : [image])),
      );
      return shown(await found(context, input));
    },
    async delete(context, { applicationId, deleteVolumes }) {
      const application = await found(context, { applicationId });
      const { name, appName } = application;
      const service = applicationRef(applicationId);
      const by = { serviceId: applicationId, userId: context.actor.userId, deleteVolumes };
      // In the service's turn, because the reconciler restores a service as long as its record exists.
      const { keptVolumes, past, endSchedules } = await interruption.endThen(
        service,
        { operation: 'delete', userId: context.actor.userId },
        async () => {
          await desk.removePreviews(application);
          const all = await deployments.all(service);
          const leave = await desk.leaveSchedules(applicationId);
          const kept = await runtime.remove(application, {
            deleteVolumes,
            stays: (reason) => desk.unfinished.keep(askedDeletion('application', application, by), reason),
          });
          await context.write(() => applications.remove(applicationId, context.actor.organizationId));
          return { keptVolumes: kept, past: all, endSchedules: leave };
        },
      );
      await endSchedules();
      for (const { deploymentId } of past) await desk.logs.remove(deploymentId);
      await desk.uploads.forgetAll(applicationId);
      await desk.applyRoutes(application);
      return { applicationId, name, appName, keptVolumes };
    },
    move: (context, { applicationId, targetEnvironmentId }) =>
      changing(context, applicationId, () =>
        applications.move(applicationId, context.actor.organizationId, targetEnvironmentId),
      ),
    async moveToServer(context, { applicationId, serverId }) {
      const application = await found(context, { applicationId });
      const to = await desk.requireMovable(application, serverId, context);
      const deployment = await context.write(async () => {
        if (application.liveDeploymentId === null) return desk.place(applicationId, serverId);
        const move = { from: serverKeyOf(application), to: serverKeyOf({ serverId }) };
        const accepting = { kind: 'move', title: `Move to ${to}`, description: '', move } as const;
        return deployments.accept(applicationRef(applicationId), {
          ...accepting,
          startedBy: startedBy(context.actor),
        });
      });
      queue.wake();
      if (deployment) context.announce(deployment.deploymentId);
      return { deploymentId: deployment?.deploymentId ?? null };
    },
    async refreshToken({ actor, write }, { applicationId }) {
      await write(async () => {
        await applications.one(applicationId, actor.organizationId);
        await applications.patch(applicationId, { refreshToken: randomId(32) });
      });
      return { success: true };
    },
    run: async (context, input) => runtime.run(await found(context, input), input.command, context.signal),
    readLogs: async (context, { tail, since, search, ...input }) =>
      runtime.readLogs(await found(context, input), { tail, since, search }),
    async *logs(context, { tail, ...input }) {
      const application = await found(context, input);
      yield* outputEvents(context, {
        read: (options) => runtime.readLogs(application, { tail, ...options }),
        follow: (options) => runtime.followLogs(application, { tail, ...options }),
      });
    },
  };
}

/** The source that a new application is given with its name; undefined when it is set later. */
function sourceOf({
  customGitUrl,
  customGitBranch,
  containerImage,
}: Pick<ApplicationInput, 'customGitUrl' | 'customGitBranch' | 'containerImage'>):
  | ApplicationInput
  | undefined {
  if (customGitUrl && containerImage)
    throw badField('containerImage', 'cannot be given with customGitUrl; an application has one source');
  if (customGitBranch && !customGitUrl)
    throw badField('customGitBranch', 'is the branch of customGitUrl, which is missing');
  if (customGitUrl) return { sourceType: 'git', customGitUrl, customGitBranch: customGitBranch ?? 'main' };
  return containerImage ? { sourceType: 'container', containerImage } : undefined;
}

const asked = ({ title, description, withoutCache }: Asked): Asked => ({ title, description, withoutCache });

interface Asked {
  title: string;
  description: string;
  withoutCache: boolean;
}

/** Removes images that Berth built; any other image may be used by somebody else. */
async function removeBuilt(
  host: { engine: Pick<Engine, 'removeImage'> } | undefined,
  images: readonly string[],
): Promise<void> {
  for (const image of images.filter((name) => name.startsWith(builtPrefix)))
    await host?.engine.removeImage(image);
}
