import { AppError, badField, notYet } from '../../domain/errors.ts';
import { applicationRef, type ServiceRef } from '../../domain/service-ref.ts';
import { randomId } from '../../ports/clock.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { Queue } from '../../ports/queue.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { LogEvent } from '../../procedure/log-event.ts';
import type { Handlers, StreamEvent, UploadedFile } from '../../procedure/procedure.ts';
import type { Accepting, Deployments } from '../deployment/deployment.ts';
import type { Members } from '../organization/member.ts';
import type { ApplicationInput, Applications } from './application.ts';
import type { applicationContract } from './contract.ts';
import type { ApplicationRuntime } from './runtime.ts';
import type { Turns } from '../service/turns.ts';
import { withoutAliases } from './settings.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import type { ApplicationViews } from './view.ts';
import { shown } from './view.ts';

export interface ApplicationDesk {
  applications: Applications;
  deployments: Deployments;
  runtime: ApplicationRuntime;
  turns: Turns;
  views: ApplicationViews;
  members: Members;
  queue: Queue;
  logs: DeploymentLogs;
  builds: {
    killBuild(service: ServiceRef): Promise<boolean>;
    end(service: ServiceRef, reason: string): Promise<void>;
  };
  /** Whether this is a cloud installation, where each service has a server of its own. */
  isCloud(): Promise<boolean>;
  /** BAD_REQUEST when a new service needs a server of its own and names none. */
  requireServer(serverId: string | null | undefined): Promise<void>;
  /** Unpacks an upload into a folder of its own and gives its path; the former one is removed by `forget`. */
  uploads: {
    keep(applicationId: string, file: UploadedFile): Promise<string>;
    forget(path: string): Promise<void>;
    forgetAll(applicationId: string): Promise<void>;
  };
  /** Removes those of these images that Berth built. */
  removeImages(images: string[]): Promise<void>;
  applyRoutes(): Promise<void>;
  /** Ends and removes every preview of the application. */
  removePreviews(application: ApplicationRecord): Promise<void>;
}

export function applicationHandlers(
  desk: ApplicationDesk,
): Handlers<typeof applicationContract, CallContext> {
  const { applications, deployments, runtime, members, queue } = desk;
  const found = (
    { actor }: CallContext,
    { applicationId }: { applicationId: string },
  ): Promise<ApplicationRecord> => applications.one(applicationId, actor.organizationId);

  const save = async (
    context: CallContext,
    { applicationId, ...input }: ApplicationInput & { applicationId: string },
  ): Promise<ReturnType<typeof shown>> =>
    shown(await context.write(() => applications.update(applicationId, context.actor.organizationId, input)));

  async function accept(
    context: CallContext,
    input: { applicationId: string },
    accepting: Accepting,
  ): Promise<true> {
    await context.write(async () => {
      await deployments.accept(applicationRef((await found(context, input)).applicationId), accepting);
    });
    queue.wake();
    return true;
  }

  return {
    async create({ actor, write }, input) {
      await desk.requireServer(input.serverId);
      return write(async () => {
        const application = await applications.create({ ...input, organizationId: actor.organizationId });
        await members.grantCreated(actor, 'accessedServices', application.applicationId);
        return shown(application);
      });
    },
    one: async (context, input) => desk.views.whole(await found(context, input), context.actor),
    async update(context, { environmentId, applicationStatus, ...input }) {
      const { actor, write } = context;
      await write(async () => {
        const { applicationId, ...settings } = withoutAliases(input);
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
    saveGithubProvider: (context, input) => save(context, { ...input, sourceType: 'github' }),
    saveGitlabProvider: (context, input) => save(context, { ...input, sourceType: 'gitlab' }),
    saveBitbucketProvider: (context, input) => save(context, { ...input, sourceType: 'bitbucket' }),
    saveGiteaProvider: (context, input) => save(context, { ...input, sourceType: 'gitea' }),
    saveContainerProvider: (context, input) => save(context, { ...input, sourceType: 'container' }),
    async dropDeployment(context, { applicationId, dropBuildPath }, file) {
      const application = await found(context, { applicationId });
      const uploadPath = await desk.uploads.keep(applicationId, file);
      try {
        await context.write(async () => {
          await applications.update(applicationId, context.actor.organizationId, {
            sourceType: 'drop',
            buildPath: dropBuildPath,
          });
          await applications.patch(applicationId, { uploadPath });
          await deployments.accept(applicationRef(applicationId), {
            kind: 'deploy',
            title: 'Upload',
            description: file.fileName.slice(0, 200),
          });
        });
      } catch (error) {
        await desk.uploads.forget(uploadPath);
        throw error;
      }
      if (application.uploadPath && application.applicationStatus !== 'running')
        await desk.uploads.forget(application.uploadPath);
      queue.wake();
      return true;
    },
    start: async (context, input) => runtime.start(await found(context, input)),
    stop: async (context, input) => runtime.stop(await found(context, input)),
    async reload(context, { applicationId, appName }) {
      const application = await found(context, { applicationId });
      if (appName !== application.appName) throw badField('appName', 'is not the name of this application');
      await runtime.reload(application);
      return { success: true };
    },
    deploy: (context, input) =>
      accept(context, input, { kind: 'deploy', title: input.title, description: input.description }),
    async redeploy(context, input) {
      if (!(await deployments.live(await found(context, input))))
        throw new AppError(
          'PRECONDITION_FAILED',
          'Nothing is deployed yet, so there is no version to rebuild: deploy first.',
        );
      return accept(context, input, { kind: 'redeploy', title: input.title, description: input.description });
    },
    async cancelDeployment(context, input) {
      const { serverId } = await found(context, input);
      if (serverId !== null && (await desk.isCloud())) throw notYet('Ending a deployment on a remote server');
      throw new AppError(
        'PRECONDITION_FAILED',
        'cancelDeployment works only in cloud environments with remote servers. Use application.killBuild to end a running build, and application.cleanQueues to cancel queued ones.',
      );
    },
    async killBuild(context, input) {
      await desk.builds.killBuild(applicationRef((await found(context, input)).applicationId));
      return shown(await found(context, input));
    },
    async cleanQueues(context, input) {
      const application = await found(context, input);
      await deployments.cancelQueued(applicationRef(application.applicationId), () =>
        runtime.hasTasks(application),
      );
      return shown(await found(context, input));
    },
    async clearDeployments(context, input) {
      const application = await found(context, input);
      const removed = await deployments.clear(applicationRef(application.applicationId));
      // The live deployment may be a rollback, which runs the image of one that is gone now.
      const needed = new Set(
        (await deployments.all(applicationRef(application.applicationId))).map(({ image }) => image),
      );
      await desk.removeImages(
        removed.flatMap(({ image }) => (image === null || needed.has(image) ? [] : [image])),
      );
      return shown(await found(context, input));
    },
    async delete(context, { applicationId, deleteVolumes }) {
      const application = await found(context, { applicationId });
      const { name, appName } = application;
      // First what waits: it would begin as soon as what runs has ended.
      await deployments.cancelQueued(applicationRef(application.applicationId), async () => false);
      await desk.builds.end(applicationRef(applicationId), 'The application is being deleted.');
      await desk.removePreviews(application);
      const past = await deployments.all(applicationRef(applicationId));
      // The reconciler would make a service again whose record still stands.
      const keptVolumes = await desk.turns.take(applicationId, async () => {
        const kept = await runtime.remove(application, { deleteVolumes });
        await context.write(() => applications.remove(applicationId, context.actor.organizationId));
        return kept;
      });
      for (const { deploymentId } of past) await desk.logs.remove(deploymentId);
      await desk.uploads.forgetAll(applicationId);
      await desk.applyRoutes();
      return { applicationId, name, appName, keptVolumes };
    },
    move: ({ actor, write }, { applicationId, targetEnvironmentId }) =>
      write(() => applications.move(applicationId, actor.organizationId, targetEnvironmentId)),
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
    async *logs(context, { tail, ...input }): AsyncIterable<StreamEvent<LogEvent>> {
      const application = await found(context, input);
      const since = context.lastEventId;
      const lines = context.follow
        ? runtime.followLogs(application, { tail, since, signal: context.signal })
        : await runtime.readLogs(application, { tail, since });
      for await (const { at, stream, text } of lines) {
        if (since === undefined || at > since) yield { id: at, data: { type: 'line', text, at, stream } };
      }
    },
  };
}
