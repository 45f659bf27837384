/** Contracts meet handlers; the registry meets guard and HTTP. */
import type { FastifyInstance } from 'fastify';
import { applicationRef } from '../domain/service-ref.ts';
import { builtPrefix } from '../domain/image-reference.ts';
import { applicationHandlers } from '../modules/application/handlers.ts';
import { createApplicationViews } from '../modules/application/view.ts';
import { installationBackupHandlers } from '../modules/backup/handlers-installation.ts';
import { contracts } from '../modules/contracts.ts';
import { deploymentHandlers } from '../modules/deployment/handlers.ts';
import { gitProviderHandlers } from '../modules/git-provider/handlers.ts';
import { createMounts } from '../modules/mount/mount.ts';
import { portHandlers } from '../modules/port/handlers.ts';
import { createPorts } from '../modules/port/port.ts';
import { previewDeploymentHandlers } from '../modules/preview-deployment/handlers.ts';
import { registryHandlers } from '../modules/registry/handlers.ts';
import { settingsHandlers } from '../modules/settings/handlers.ts';
import { sshKeyHandlers } from '../modules/ssh-key/handlers.ts';
import { createSshKeys } from '../modules/ssh-key/ssh-key.ts';
import { createRegistry, router } from '../procedure/registry.ts';
import { addAuthRoutes } from '../transport/auth-routes.ts';
import { toAppError } from '../transport/envelope.ts';
import { createHttpServer } from '../transport/http.ts';
import { createOpenapi } from '../transport/openapi.ts';
import { addWebhookRoutes } from '../transport/webhook.ts';
import { randomId } from '../ports/clock.ts';
import { accountRouters } from './accounts.ts';
import type { AppParts } from './app-parts.ts';
import { composeRouters } from './compose-routers.ts';
import { infrastructureRouters } from './infrastructure-routers.ts';
import { protectedPaths } from './protected-paths.ts';
import { routingRouters } from './routing-routers.ts';
import { serviceRouters } from './service-routers.ts';

export function createApp(parts: AppParts): FastifyInstance {
  const { config, log, accounts, settings, version } = parts;
  const registry = createRegistry(routersOf(parts));
  const faults = {
    fault: (id: string, error: unknown, path: string | undefined) =>
      void log.fault(error, path ?? 'http', id || undefined),
  };
  let document: string | undefined;
  const app = createHttpServer({
    registry,
    guard: accounts.guard,
    authenticate: accounts.authentication.authenticate,
    log: faults,
    version,
    uploadLimit: async () => (await settings.get()).uploadLimit,
    openapi: () => (document ??= JSON.stringify(createOpenapi([...registry.values()], version))),
  });
  addAuthRoutes(app, accounts.door, {
    isHttps: config.url.startsWith('https:'),
    toError: (error, path) => toAppError(error, path, faults, () => randomId(12)),
  });
  addWebhookRoutes(app, parts.previewing.webhooks, {
    kinds: ['application', 'compose'],
    toError: (error, path) => toAppError(error, path, faults, () => randomId(12)),
  });
  return app;
}

function routersOf(parts: AppParts): ReturnType<typeof router>[] {
  const {
    config,
    stores,
    adapters,
    clock,
    settings,
    members,
    applications,
    registries,
    queue,
    deployments,
    domains,
    platform,
    reconciler,
    runner,
    runtime,
  } = parts;
  const { organizations } = parts.accounts;
  const account = accountRouters(parts.accounts);
  const ownPorts = [config.port, config.httpPort, config.httpsPort];
  const ports = createPorts(stores.ports, { clock, ownPorts, meshWorks: platform.meshWorks });
  const mounts = createMounts(stores.mounts, { clock, protectedPaths: protectedPaths(config) });
  const views = createApplicationViews({
    placement: applications.placement,
    deployments: (applicationId) => deployments.recent(applicationRef(applicationId)),
    domains: domains.byApplication,
    ports: ports.byApplication,
    mounts: mounts.byApplication,
    released: parts.released,
  });
  const applyRoutes = (): Promise<void> => reconciler.applyRoutes();
  return [
    account.user,
    account.organization,
    ...serviceRouters(parts, mounts),
    router(
      'application',
      contracts.application,
      applicationHandlers({
        applications,
        deployments,
        runtime,
        isCloud: async () => (await settings.get()).cloud,
        requireServer: settings.requireServer,
        turns: parts.turns,
        views,
        members,
        queue,
        logs: adapters.logs,
        builds: runner,
        uploads: adapters.uploads(async () => {
          const { uploadUnpackedLimit, uploadEntriesLimit } = await settings.get();
          return { unpackedBytes: uploadUnpackedLimit, entries: uploadEntriesLimit };
        }),
        applyRoutes,
        removePreviews: parts.previewing.removeAll,
        async removeImages(images) {
          for (const image of images.filter((name) => name.startsWith(builtPrefix)))
            await adapters.engine.removeImage(image);
        },
      }),
    ),
    router(
      'deployment',
      contracts.deployment,
      deploymentHandlers(deployments, { logs: adapters.logs, queue }),
    ),
    router(
      'previewDeployment',
      contracts.previewDeployment,
      previewDeploymentHandlers(parts.previews, {
        applications,
        deployments,
        queue,
        builds: runner,
        remove: parts.previewing.remove,
      }),
    ),
    router('gitProvider', contracts.gitProvider, gitProviderHandlers(parts.gitProviders)),
    router('port', contracts.port, portHandlers(ports)),
    router(
      'sshKey',
      contracts.sshKey,
      sshKeyHandlers(createSshKeys(stores.sshKeys, clock), adapters.keyPairs),
    ),
    router('registry', contracts.registry, registryHandlers(registries)),
    router(
      'settings',
      contracts.settings,
      settingsHandlers(settings, () => void reconciler.run()),
    ),
    account.audit,
    ...infrastructureRouters(parts, organizations.isFirst),
    ...routingRouters(parts),
    ...composeRouters(parts, mounts),
    router(
      'installationBackup',
      contracts.installationBackup,
      installationBackupHandlers(parts.backingUp.installation),
    ),
  ];
}
