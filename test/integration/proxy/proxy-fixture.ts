import { mkdirSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { dirname, join } from 'node:path';
import { beforeAll, inject } from 'vitest';
import { createCaddyProxy, type CaddyProxyOptions } from '../../../server/src/adapters/proxy/caddy.ts';
import { createCaddyStore, storeFolder } from '../../../server/src/adapters/proxy/caddy-store.ts';
import { adminSocketName, proxyServiceSpec } from '../../../server/src/adapters/proxy/proxy-service.ts';
import { listenerCheck } from '../../../server/src/deploy/release/health-check.ts';
import type { ServiceSpec } from '../../../server/src/ports/engine/engine.ts';
import type { ProxyStore } from '../../../server/src/ports/certificates/certificate-news.ts';
import { noRules, type Proxy, type Route } from '../../../server/src/ports/proxy.ts';
import { listens, uniqueName, until, untilRunning } from '../../engine-suite/fixture.ts';
import { bedEngine, nodeService } from '../engine/engine-fixture.ts';

export type ProxyEvents = Pick<CaddyProxyOptions, 'onNews' | 'onRequests' | 'beforeLoad' | 'allows'>;

export const httpPort = 8_081;
export const httpsPort = 8_444;

/**
 * The port to a proxy of the bed's m1: where its admin socket appears on this machine, and what the host
 * calls that folder.
 */
function proxyAt(
  name: string,
  events: ProxyEvents = {},
): { adminFolder: string; proxy: Proxy; store: ProxyStore; folder: string } {
  // The host's /run/bed is this folder of the machine.
  const folder = join(dirname(inject('servers').m1.engineSocket), name);
  mkdirSync(folder, { mode: 0o700, recursive: true });
  return {
    adminFolder: `/run/bed/${name}`,
    folder,
    store: createCaddyStore(join(folder, storeFolder)),
    proxy: createCaddyProxy({
      adminSocket: join(folder, adminSocketName),
      publicHttpPort: httpPort,
      publicHttpsPort: httpsPort,
      ...events,
    }),
  };
}

/** A proxy that nobody starts. */
export function absentProxy(): Proxy {
  return proxyAt(uniqueName('nobody')).proxy;
}

export interface BedProxy {
  proxy: Proxy;
  store: ProxyStore;
  /** What the proxy and this process share. */
  folder: string;
  name: string;
  /** Services on the network of an environment that tell what they were asked. */
  one: ServiceSpec;
  two: ServiceSpec;
  /** Name of that network. */
  environment: string;
  /** The running container of the proxy. */
  container(): Promise<string>;
}

export interface InBedOptions {
  events?: ProxyEvents;
  /**
   * As nobody has used it yet. Who waits for its news needs this: a Caddy whose listener went away with the
   * file before tries another one only after 10 s.
   */
  fresh?: boolean;
}

/**
 * The proxy on m1 with its two services, which the first file makes and all use, one after another; not yet
 * attached to the network of the services.
 */
export function proxyInBed({ events, fresh = false }: InBedOptions = {}): BedProxy {
  const { engine } = bedEngine();
  const [platform, environment, name] = ['t-platform', 't-environment', 't-proxy'];
  const echo = (service: string): ServiceSpec =>
    nodeService(service, echoing, {
      env: [`ME=${service}`],
      networks: [environment],
      healthCheck: listens,
      release: 'r1',
    });
  const [one, two] = [echo('t-one'), echo('t-two')];
  const { adminFolder, proxy, store, folder } = proxyAt(name, events);
  const container = (): Promise<string> =>
    until(
      'the container of the proxy',
      async () =>
        (await engine.tasks(name)).find((task) => task.state === 'running' && task.desiredState === 'running')
          ?.containerId,
    );

  async function make(): Promise<void> {
    await engine.ensureNetwork({ name: platform, subnet: '10.220.1.0/24', labels: {} });
    await engine.ensureNetwork({ name: environment, subnet: '10.220.2.0/24', labels: {} });
    const spec = proxyServiceSpec({
      image: 'berth/caddy:2.11',
      nodeId: (await engine.info()).nodeId,
      network: platform,
      adminFolder,
      httpPort,
      httpsPort,
      labels: { 'berth.test': 'true' },
      probe: { busybox: '/bin/busybox', healthCheck: listenerCheck([80]) },
      migratesRequests: true,
    });
    await Promise.all([{ ...spec, name }, one, two].map((each) => engine.applyService(each)));
  }
  async function renew(): Promise<void> {
    const former = await container();
    await engine.restartService(name);
    await until('another container', async () => (await container()) !== former);
  }
  beforeAll(async () => {
    if ((await engine.service(name)) === undefined) await make();
    else if (fresh) await renew();
    await Promise.all([name, one.name, two.name].map((each) => untilRunning(engine, each)));
  });
  return { proxy, store, folder, name, one, two, environment, container };
}

/** Lets the proxy reach its two services. */
export async function attached({ proxy, container, environment }: BedProxy): Promise<void> {
  await until('the proxy', () => proxy.current().then((answer) => answer !== undefined));
  await bedEngine().engine.connectNetwork(await container(), environment);
}

/** Answers what it was asked, as JSON, and echoes what comes through a WebSocket. */
export const echoing = `
  const { createServer } = require('node:http');
  const server = createServer((request, response) => {
    const { url, method, headers } = request;
    response.end(JSON.stringify({ service: process.env.ME, url, method, headers }));
  });
  server.on('upgrade', (request, socket) => {
    socket.write(
      'HTTP/1.1 101 Switching Protocols\\r\\n' +
      'Connection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n'
    );
    socket.pipe(socket);
  });
  server.listen(3000);
  process.on('SIGTERM', () => server.close(() => process.exit(0)));`;

export function route(change: Partial<Route> & { id: string; service: string }): Route {
  return {
    serviceId: 's1',
    host: 'a.test',
    path: '/',
    internalPath: '/',
    stripPath: false,
    https: false,
    certificate: null,
    port: 3000,
    accounts: [],
    redirects: [],
    hstsMaxAge: null,
    requestHeaders: {},
    maxBodyBytes: null,
    ...noRules,
    ...change,
  };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** Name of the authority of the proxy's certificate; undefined over HTTP. */
  issuer: string | undefined;
}

export interface Ask {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  secure?: boolean;
}

/** One request through the proxy on a connection of its own. */
export function ask(
  host: string,
  { path = '/', method = 'GET', headers = {}, secure = false }: Ask = {},
): Promise<Answer> {
  const { ip } = inject('servers').m1;
  const common = {
    host: ip,
    path,
    method,
    headers: { Host: host, ...headers },
    agent: false as const,
    signal: AbortSignal.timeout(15_000),
  };
  return new Promise((resolve, reject) => {
    const sent = secure
      ? secureRequest({ ...common, port: httpsPort, servername: host, rejectUnauthorized: false })
      : request({ ...common, port: httpPort });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const issuer = secure ? issuerOf(response.socket as TLSSocket) : undefined;
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, issuer }),
      );
    });
    sent.end();
  });
}

function issuerOf(socket: TLSSocket): string {
  return String(socket.getPeerCertificate().issuer.CN);
}
