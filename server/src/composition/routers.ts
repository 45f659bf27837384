/** Contracts meet handlers; the registry meets guard and HTTP. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { installationBackupHandlers } from '../modules/backup/handlers-installation.ts';
import { contracts } from '../modules/contracts.ts';
import { createDnsCheck } from '../modules/domain/dns-check.ts';
import { eventHandlers } from '../modules/event/handlers.ts';
import { gitProviderHandlers } from '../modules/git-provider/handlers.ts';
import { statusClass } from '../modules/metrics/counters.ts';
import { createMounts, type Mounts } from '../modules/mount/mount.ts';
import { portHandlers } from '../modules/port/handlers.ts';
import { createPorts } from '../modules/port/port.ts';
import { registryHandlers } from '../modules/registry/handlers.ts';
import { settingsHandlers } from '../modules/settings/handlers.ts';
import { sshKeyHandlers } from '../modules/ssh-key/handlers.ts';
import { createTerminals, type Terminals } from '../modules/terminal/terminal.ts';
import { releasedSpecs } from '../deploy/released-specs.ts';
import { probeTarget } from '../deploy/release/health-check.ts';
import { createSshKeys } from '../modules/ssh-key/ssh-key.ts';
import { createRegistry, router, type Registry, type Router } from '../procedure/registry.ts';
import { addAuthRoutes } from '../transport/entrance/auth-routes.ts';
import { toAppError } from '../transport/envelope.ts';
import { createHttpServer } from '../transport/http.ts';
import { createOpenapi } from '../transport/openapi/openapi.ts';
import { trustProxies } from '../transport/entrance/trusted-proxies.ts';
import { addWebhookRoutes } from '../transport/webhook.ts';
import { randomId } from '../ports/clock.ts';
import { accountRouters } from './installation/accounts.ts';
import { buildersLeaver } from '../jobs/after-crash.ts';
import { hostOfUrl } from '../domain/access/own-host.ts';
import { localServer } from '../domain/names/server-key.ts';
import type { AppParts } from './services/app-parts.ts';
import { applicationRouters } from './services/application-routers.ts';
import { composeRouters } from './services/compose-routers.ts';
import { beginOrders, infrastructureRouters } from './infrastructure-routers.ts';
import { commandLineFile, dashboardFolder, referenceFolder } from './product-files.ts';
import { routingRouters } from './routing-routers.ts';
import { serviceRouters } from './services/service-routers.ts';

export function createApp(parts: AppParts): { app: FastifyInstance; registry: Registry } {
  const { config, log, accounts, settings, version } = parts;
  const registry = createRegistry(routersOf(parts));
  const faults = {
    fault: (id: string, error: unknown, path: string | undefined) =>
      void log.fault(error, path ?? 'http', id || undefined),
  };
  let document: string | undefined;
  const { proxySocket, ownHost } = parts;
  const isBelowHttps = config.url.startsWith('https:');
  const cookies = parts.cookieJar(
    (request) => isBelowHttps || (proxySocket.isFrom(request) && request.protocol === 'https'),
  );
  const app = createHttpServer({
    registry,
    guard: accounts.guard,
    authenticate: accounts.authentication.authenticate,
    cookies,
    trustProxy: trustProxies(config.trustedProxies),
    log: faults,
    version,
    uploadLimit: async () => (await settings.get()).uploadLimit,
    liveStreamLimit: async () => (await settings.get()).streamLimit,
    answerLimit: async () => (await settings.get()).logAnswerLimit,
    dashboardFolder,
    commandLineFile,
    referenceFolder,
    terminals: { terminals: terminalsOf(parts) },
    answered: (status) => parts.counters.add('berth_api_requests_total', 1, { code: statusClass(status) }),
    openapi: () => (document ??= JSON.stringify(createOpenapi([...registry.values()], version))),
  });
  addAuthRoutes(app, accounts.door, {
    cookies,
    secureAddress: ownHost.secureAddress,
    toError: (error, path) => toAppError(error, path, faults, () => randomId(12)),
  });
  addWebhookRoutes(app, parts.previewing.webhooks, {
    kinds: ['application', 'compose'],
    toError: (error, path) => toAppError(error, path, faults, () => randomId(12)),
  });
  return { app, registry };
}

function terminalsOf({ hosts, stores, previews, applications }: AppParts): Terminals {
  return createTerminals({
    hosts,
    services: stores.serviceReads,
    busybox: probeTarget,
    async applicationOf(previewDeploymentId, organizationId) {
      const { applicationId } = await previews.one(previewDeploymentId, organizationId);
      return applications.one(applicationId, organizationId);
    },
  });
}

const mountsOf = ({ stores, clock, hostReach }: AppParts): Mounts =>
  createMounts(stores.mounts, {
    clock,
    approve: hostReach.bindApproval,
    released: (kind, deploymentId) => releasedSpecs(stores, kind, deploymentId),
  });

function routersOf(parts: AppParts): Router[] {
  const { config, stores, adapters, clock, settings, hosts } = parts;
  const account = accountRouters(parts.accounts, {
    gone: buildersLeaver(parts),
    measureDisk: parts.disk.look,
    tenantsMayCreate: async () => (await settings.get()).tenantsMayCreateOrganizations,
  });
  const ports = createPorts(stores.ports, {
    clock,
    ownPorts: [config.port, config.httpPort, config.httpsPort],
    // Of a server that is not connected nothing is known, so its ports stay as they were asked for.
    meshWorks: async (serverKey) => (await (await hosts.find(serverKey))?.facts())?.hasRoutingMesh ?? true,
  });
  const mounts = mountsOf(parts);
  return [
    account.user,
    account.organization,
    ...serviceRouters(parts, mounts),
    ...applicationRouters(parts, { ports, mounts }),
    router('gitProvider', contracts.gitProvider, gitProviderHandlers(parts.gitProviders)),
    router('port', contracts.port, portHandlers(ports)),
    router(
      'sshKey',
      contracts.sshKey,
      sshKeyHandlers(createSshKeys(stores.sshKeys, clock), adapters.keyPairs),
    ),
    router('registry', contracts.registry, registryHandlers(parts.registries)),
    settingsRouter(parts),
    account.audit,
    router('event', contracts.event, eventHandlers(parts.accounts.events)),
    ...infrastructureRouters(parts, parts.accounts.organizations.isFirst),
    ...routingRouters(parts),
    ...composeRouters(parts, mounts),
    router(
      'installationBackup',
      contracts.installationBackup,
      installationBackupHandlers(parts.backingUp.installation),
    ),
  ];
}

function settingsRouter(parts: AppParts): Router {
  const { config, adapters, settings, hosts, reconciler } = parts;
  return router(
    'settings',
    contracts.settings,
    settingsHandlers(settings, {
      changed: () => (void reconciler.run(), beginOrders(parts)()),
      builders: async (signal) =>
        (await hosts.of(localServer)).builder.programs(
          join(adapters.folders.work, `probe-${randomId()}`),
          signal,
        ),
      portWall: parts.portGuard.state,
      urlHost: hostOfUrl(config.url),
      async checkBaseDomain(base) {
        await parts.ownHost.requireFreeBase(base);
        await parts.baseDomainClaims.requireFreeForAll(base);
        await createDnsCheck({ names: adapters.names, settings: settings.get }).checkBase(base);
      },
      async prepareHost(host) {
        await parts.ownHost.requireFree(host);
        await parts.baseDomainClaims.requireOutside(host);
        await parts.watch.issuanceOf(localServer).prepare(host);
      },
    }),
  );
}
