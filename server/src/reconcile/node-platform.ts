/** The proxy of a node of a cluster, which has the routes and certificates of the cluster's head. */
import { platformNetwork, proxyServiceName } from '../domain/names/names.ts';
import { Secret } from '../domain/secrets/secret.ts';
import { AppError } from '../domain/errors.ts';
import type { Begun, Renewals } from '../modules/platform-service/platform-service.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';
import type { Host, NodeProxy } from '../ports/host/host.ts';
import { waitUntil } from '../ports/wait-until.ts';
import type { KeptFile } from '../ports/certificates/certificate-news.ts';
import { noRules, type Route } from '../ports/proxy.ts';
import type { KeptHost } from './host-reconciler.ts';
import { failureSayer, routedNetworks, versionOf } from './platform.ts';

export interface NodeParts {
  /** Whose cluster it is a node of; undefined while that one is not connected. */
  head(): Promise<Host | undefined>;
  proxyImage: string;
  /** The proxy as a service on a machine of its own: one version is the same on nodes. */
  proxySpec(host: Host, image: string): Promise<ServiceSpec>;
  migratesRequests(host: Host): Promise<boolean>;
  renewals: Renewals;
  /** Looks at this node once more, since its turn to be renewed has come. */
  lookAgain(): void;
  /** Of the head, as they should be. */
  routes(head: Host): Promise<Route[]>;
}

const imageLimitMs = 10 * 60_000;
const answerLimitMs = 60_000;
const answerLookMs = 500;
const challengePath = '/.well-known/acme-challenge';

/** Without the proxy's own part: who looks at the engine, and at the ports of the machine. */
export function createNodePlatform(
  host: Host,
  parts: NodeParts,
): Pick<KeptHost, 'ensurePlatform' | 'attachProxy' | 'routes'> {
  const { nodeProxy } = host;
  const sayFailure = failureSayer(parts.renewals);
  /** This node's own renewal, which nobody else puts back while it is waited for. */
  let isRenewing = false;
  return {
    async ensurePlatform() {
      if (!nodeProxy || isRenewing) return [];
      const { proxyImage: image } = parts;
      if (!(await host.engine.image(image)))
        await host.fetchImage?.(image, AbortSignal.timeout(imageLimitMs));
      const migratesRequests = await parts.migratesRequests(host);
      const wanted = { image, network: platformNetwork, migratesRequests };
      const state = await nodeProxy.look(wanted);
      if (state === 'running') return [];
      if (state !== 'renewing') {
        await nodeProxy.replace(wanted);
        return [`${proxyServiceName}: started it on this node`];
      }
      const version = versionOf(await parts.proxySpec(host, image));
      const begin = async (): Promise<Begun<true>> => {
        await nodeProxy.replace(wanted);
        isRenewing = true;
        const outcome = outcomeOf(host, nodeProxy).finally(() => (isRenewing = false));
        return { result: true, outcome };
      };
      if (await parts.renewals.take(version, begin, parts.lookAgain))
        return [`${proxyServiceName}: differed; replaced it on this node`];
      // What was broken off waits for its turn with the former one running.
      if ((await host.proxy.current().catch(() => undefined)) === undefined) await nodeProxy.putBack();
      return sayFailure(version);
    },
    async attachProxy() {
      const head = await parts.head();
      const attached = head && nodeProxy ? await nodeProxy.attach(await routedNetworks(head)) : 0;
      return attached === 0
        ? []
        : [`${proxyServiceName}: attached it to networks of environments: ${attached}`];
    },
    async routes() {
      const head = await parts.head();
      return head ? nodeRoutes(await parts.routes(head), (name) => certificateOf(head, name)) : [];
    },
  };
}

/** The former one takes its place again when the new one does not answer. */
async function outcomeOf(
  { name, proxy, whySilent }: Host,
  nodeProxy: NodeProxy,
): Promise<AppError | undefined> {
  const current = (): Promise<string | undefined> => proxy.current().catch(() => undefined);
  if ((await waitUntil(current, { everyMs: answerLookMs, limitMs: answerLimitMs })) !== undefined) {
    await nodeProxy.settle();
    return undefined;
  }
  // Of a node that cannot be reached nothing is concluded.
  const silence = whySilent?.();
  if (silence !== undefined) throw new AppError('SERVICE_UNAVAILABLE', silence);
  await nodeProxy.putBack();
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The proxy of this version of Berth did not answer on ${name}, and the former one runs again there. ` +
      'Other machines keep theirs. Berth tries again in an hour, or when it is started again.',
  );
}

/** As an ACME authority gave it to the head. */
interface KeptCertificate {
  chain: string;
  privateKey: Secret;
}

/**
 * The head alone asks authorities: what they gave is served as it is, and what they ask a host by http is
 * answered by the head, whichever node they come to.
 */
export async function nodeRoutes(
  routes: readonly Route[],
  certificateOf: (host: string) => Promise<KeptCertificate | undefined>,
): Promise<Route[]> {
  const hosts = [...new Set(routes.flatMap((route) => (isFromAcme(route) ? [route.host] : [])))];
  const found = new Map(
    await Promise.all(hosts.map(async (name) => [name, await certificateOf(name)] as const)),
  );
  return [...routes.map((route) => served(route, found.get(route.host))), ...hosts.map(challengeRoute)];
}

const isFromAcme = ({ certificate }: Route): boolean => certificate?.source === 'acme';

function served(route: Route, kept: KeptCertificate | undefined): Route {
  const { certificate, host } = route;
  if (certificate?.source !== 'acme') return route;
  return {
    ...route,
    certificate: kept
      ? { source: 'uploaded', certificateId: `acme-${host}`, ...kept }
      : { ...certificate, isWithheld: true },
  };
}

/** RFC 8555, 8.3: by http, on port 80. */
const challengeRoute = (host: string): Route => ({
  id: `challenge-${host}`,
  serviceId: 'berth',
  host,
  path: challengePath,
  internalPath: challengePath,
  stripPath: false,
  https: false,
  certificate: null,
  service: proxyServiceName,
  port: 80,
  accounts: [],
  hstsMaxAge: null,
  requestHeaders: {},
  maxBodyBytes: null,
  ...noRules,
  redirects: [],
});

async function certificateOf({ proxyStore }: Host, host: string): Promise<KeptCertificate | undefined> {
  const files = await proxyStore.files(host);
  const [chain, key] = [newest(files, '.crt'), newest(files, '.key')];
  return chain !== undefined && key !== undefined ? { chain, privateKey: new Secret(key) } : undefined;
}

/** Of several authorities the last; all of them are of this host. */
const newest = (files: readonly KeptFile[], ending: string): string | undefined =>
  files.findLast(({ path }) => path.includes('certificates/') && path.endsWith(ending))?.content;
