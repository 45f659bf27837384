/** The proxy of a node of a cluster, which has the routes and certificates of the cluster's head. */
import { platformNetwork, proxyServiceName } from '../domain/names/names.ts';
import { Secret } from '../domain/secrets/secret.ts';
import type { Host } from '../ports/host/host.ts';
import type { KeptFile } from '../ports/certificate-news.ts';
import type { Route } from '../ports/proxy.ts';
import type { KeptHost } from './host-reconciler.ts';
import { routedNetworks } from './platform.ts';

export interface NodeParts {
  /** Whose cluster it is a node of; undefined while that one is not connected. */
  head(): Promise<Host | undefined>;
  proxyImage: string;
  migratesRequests(host: Host): Promise<boolean>;
  /** Of the head, as they should be. */
  routes(head: Host): Promise<Route[]>;
}

const imageLimitMs = 10 * 60_000;
const challengePath = '/.well-known/acme-challenge';

/** Without the proxy's own part: who looks at the engine, and at the ports of the machine. */
export function createNodePlatform(
  host: Host,
  parts: NodeParts,
): Pick<KeptHost, 'ensurePlatform' | 'services' | 'attachProxy' | 'routes'> {
  const { nodeProxy } = host;
  return {
    async ensurePlatform() {
      if (!nodeProxy) return [];
      if (!(await host.engine.image(parts.proxyImage)))
        await host.fetchImage?.(parts.proxyImage, AbortSignal.timeout(imageLimitMs));
      const wanted = {
        image: parts.proxyImage,
        network: platformNetwork,
        migratesRequests: await parts.migratesRequests(host),
      };
      return (await nodeProxy.ensure(wanted)) ? [`${proxyServiceName}: started it on this node`] : [];
    },
    services: async () => [],
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
