/** Domains through the HTTP interface, with a proxy and a DNS of the test. */
import { beforeEach } from 'vitest';
import { createStores } from '../../../server/src/composition/stores.ts';
import type { Database } from '../../../server/src/db/database.ts';
import { tableStore } from '../../../server/src/db/table-store.ts';
import { AppError } from '../../../server/src/domain/errors.ts';
import { createBaseDomains } from '../../../server/src/modules/base-domain/base-domain.ts';
import type { BaseDomainStore } from '../../../server/src/modules/base-domain/store.ts';
import { domainContract } from '../../../server/src/modules/domain/contract.ts';
import { leadingToOf } from '../../../server/src/modules/base-domain/machines.ts';
import { createDnsCheck } from '../../../server/src/modules/domain/dns-check.ts';
import { createDomains } from '../../../server/src/modules/domain/domain.ts';
import { domainHandlers, type DomainDesk } from '../../../server/src/modules/domain/handlers.ts';
import type { DomainSurroundings } from '../../../server/src/modules/domain/naming.ts';
import { createHostRules } from '../../../server/src/modules/own-host/own-host.ts';
import { createDomainRequests, type DomainRequests } from '../../../server/src/modules/domain/requests.ts';
import { createDomainStore, createRequestStore } from '../../../server/src/modules/domain/store.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import type { Lookup } from '../../../server/src/ports/name-resolver.ts';
import type { ChangeRoutes } from '../../../server/src/ports/proxy.ts';
import { router } from '../../../server/src/procedure/registry.ts';
import type { Router } from '../../../server/src/procedure/registry.ts';
import type { TestDatabase } from '../../store/each-database.ts';
import { worlds, type World } from './world.ts';
import { noPreviews } from '../../world/plain-compose.ts';
import { plainServer } from '../../world/plain-server.ts';

/** What the names lead to, and what was asked. */
const names: Record<string, Lookup> = {
  'shop.test': { addresses: ['203.0.113.7', '2001:db8::7'], fault: undefined },
  'berth-check.wild.test': { addresses: ['203.0.113.7'], fault: undefined },
  'edge.test': { addresses: ['198.51.100.4'], fault: undefined },
  'berth-check.edge.test': { addresses: ['198.51.100.4'], fault: undefined },
  'proxied.test': { addresses: ['192.0.2.9'], fault: undefined },
  'behind.test': { addresses: ['104.16.0.1'], fault: undefined },
  'slow.test': { addresses: [], fault: 'the resolver gave no answer in time' },
};

const pendingCertificate = {
  status: 'pending',
  issuer: null,
  expiresAt: null,
  error: null,
  step: 'order',
  nextTryAt: null,
} as const;

/** What stands around the domains of a test, and what was asked of it; anew for each test. */
export interface DomainScene {
  /** Of every domain. */
  certificate: typeof pendingCertificate;
  /** What the proxy got, change by change. */
  routes: string[][];
  /** With it the proxy refuses the next change. */
  refusal: AppError | undefined;
  /** Name and resolver of each look-up. */
  asked: [string, string | null][];
  /** Hosts that were made ready for an authority. */
  prepared: string[];
  settings: {
    serverIp: string | null;
    dnsResolver: string;
    baseDomain: string | null;
    trustedProxies: readonly string[];
  };
  /** Hosts that a certificate was uploaded for. */
  certified: string[];
  /** Wildcard hosts of zones that a DNS provider serves, and those whose certificates were ordered. */
  provable: string[];
  ordered: string[];
}

function newScene(): DomainScene {
  return {
    certificate: pendingCertificate,
    routes: [],
    refusal: undefined,
    asked: [],
    prepared: [],
    settings: { serverIp: '203.0.113.7', dnsResolver: '9.9.9.9', baseDomain: null, trustedProxies: [] },
    certified: [],
    provable: [],
    ordered: [],
  };
}

/** Worlds with the procedures of domains, and the scene of the present test. */
export function domainWorlds(test: TestDatabase) {
  const createWorld = worlds(test);
  const scene = newScene();
  beforeEach(() => void Object.assign(scene, newScene()));
  return {
    scene,
    async begin(): Promise<World & { requests: DomainRequests }> {
      let requests: DomainRequests | undefined;
      const world = await createWorld((database) => {
        requests = createDomainRequests(createRequestStore(database));
        return domainRouters(database, requests, scene);
      });
      if (!requests) throw new Error('The world has no routers.');
      return { ...world, requests };
    },
  };
}

function domainRouters(database: Database, requests: DomainRequests, scene: DomainScene): Router[] {
  const store = createDomainStore(database);
  const { servers, baseDomains } = createStores(database);
  const dns = createDnsCheck({
    settings: async () => scene.settings,
    names: {
      async lookUp(host, resolver) {
        scene.asked.push([host, resolver]);
        return names[host] ?? { addresses: [], fault: undefined };
      },
      records: async () => ({ found: [], fault: undefined }),
    },
  });
  const hosts = createHostRules({
    settings: async () => ({ host: 'berth.own.test', ...scene.settings }),
    url: 'http://localhost:3000',
    facts: async () => ({ addresses: ['127.0.0.1', '192.0.2.9'], hostName: 'machine' }),
  });
  const surroundings = surroundingsOf(scene, baseDomains);
  const leadingTo = leadingToOf({ baseDomains, domains: store }, settingsOf(scene));
  const changeRoutes: ChangeRoutes = (serverKey, write, change) =>
    write(async () => {
      const changed = await change();
      if (scene.refusal) throw scene.refusal;
      scene.routes.push((await store.routed(serverKey)).map(({ asciiHost, path }) => asciiHost + path));
      return changed;
    });
  return [
    router(
      'domain',
      domainContract,
      domainHandlers(createDomains(store, systemClock, hosts, surroundings), {
        clock: systemClock,
        requestsSince: requests.since,
        lastRequests: async (serviceId, domainId, count) => [
          {
            at: 0,
            domainId,
            serviceId,
            method: 'GET',
            host: 'a.test',
            path: '/',
            status: 200,
            durationMs: count,
            bytes: 1,
          },
        ],
        prepare: async (_serverKey, host) => void scene.prepared.push(host),
        ...ordersOf(scene),
        certificateOf: async () => scene.certificate,
        changeRoutes,
        dns,
        serverIp: async () => scene.settings.serverIp,
        leadingTo,
        refusedNames: () => [],
        serverAddress: async (serverId) => (await servers.find({ serverId }))?.ipAddress ?? '',
      }),
    ),
  ];
}

const settingsOf = (scene: DomainScene) => async () => ({ cloud: false, ...scene.settings });

const surroundingsOf = (scene: DomainScene, store: BaseDomainStore): DomainSurroundings => ({
  settings: async () => ({ trustedProxies: [] }),
  baseDomains: createBaseDomains({ store, settings: async () => scene.settings }),
  isCertified: async (host) => scene.certified.includes(host),
  isOrdered: async (host) => scene.ordered.includes(host),
});

const ordersOf = (scene: DomainScene): Pick<DomainDesk, 'dnsOrders' | 'dnsRecords' | 'beginOrders'> => ({
  dnsRecords: { plan: noProvider, apply: noProvider },
  dnsOrders: {
    prepare: async (host) => (scene.provable.includes(host) ? 'provider' : undefined),
    order: async (host) => void scene.ordered.push(host),
  },
  beginOrders: () => undefined,
});

const noProvider = async (): Promise<never> => {
  throw new AppError('PRECONDITION_FAILED', 'No DNS provider serves the zone.');
};

export async function withServer(
  { database, people }: World,
  serverId: string,
  ipAddress: string,
  organizationId = people.owner.organizationId,
): Promise<void> {
  await createStores(database).servers.insert({
    ...plainServer,
    serverId,
    organizationId,
    name: serverId,
    ipAddress,
    createdAt: '2026-01-01',
  });
}

export async function withCompose(
  { database, place, people, foreign }: World,
  composeId: string,
  isForeign = false,
): Promise<string> {
  const { environmentId } = isForeign ? foreign : place;
  const { organizationId } = isForeign ? people.stranger : people.owner;
  await tableStore(database, 'compose').insert({
    composeId,
    organizationId,
    environmentId,
    name: 'c',
    appName: composeId,
    description: '',
    serverId: null,
    composeType: 'compose',
    sourceType: 'raw',
    secretEnv: '',
    composeFile: '',
    composePath: '',
    env: '',
    createEnvFile: false,
    composeStatus: 'idle',
    refreshToken: composeId,
    autoDeploy: false,
    randomize: false,
    suffix: '',
    repository: null,
    owner: null,
    branch: null,
    gitHost: null,
    githubId: null,
    customGitUrl: null,
    customGitBranch: null,
    customGitSSHKeyId: null,
    customGitUsername: null,
    customGitPassword: null,
    enableSubmodules: false,
    watchPaths: [],
    triggerType: 'push',
    webhookSecret: null,
    releasedAppName: null,
    isStopped: false,
    createdAt: '2026',
    liveDeploymentId: null,
    releasedSuffix: '',
    releasedServices: null,
    restoredVolumes: {},
    networkIndex: null,
    approval: null,
    awaitsApproval: null,
    ...noPreviews,
  });
  return composeId;
}

export async function withPreview(
  { database, place, people, foreign }: World,
  previewDeploymentId: string,
  isForeign = false,
): Promise<string> {
  const [{ applicationId }, { organizationId }] = isForeign
    ? [foreign, people.stranger]
    : [place, people.owner];
  await tableStore(database, 'preview_deployment').insert({
    previewDeploymentId,
    organizationId,
    applicationId,
    branch: 'feature',
    pullRequestNumber: 7,
    name: null,
    image: null,
    expiresAt: null,
    domain: 'p.test',
    domainId: null,
    status: 'running',
    createdAt: '2026',
    appName: 'preview-web-12-abcd',
    commit: null,
    repository: '',
    provider: 'github',
    isTrusted: true,
    isFork: false,
    liveDeploymentId: null,
    releasedAppName: null,
    isStopped: false,
    commentId: null,
    commentDigest: null,
  });
  return previewDeploymentId;
}
