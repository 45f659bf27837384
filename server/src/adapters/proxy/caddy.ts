import { dirname, join } from 'node:path';
import { setImmediate as othersFirst } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { SeenRequest } from '../../ports/access-log.ts';
import type { CertificateNews } from '../../ports/certificates/certificate-news.ts';
import type { FolderFiles } from '../../ports/host/folder-files.ts';
import type { Proxy, Route } from '../../ports/proxy.ts';
import { localFolderFiles } from '../files/folder-files.ts';
import { askSocketName, listenForQuestions } from './caddy-ask.ts';
import { callAdmin, type AdminAddress, type AdminAnswer } from './caddy-admin.ts';
import { caddyDocument, idOf } from './config/caddy-config.ts';
import type { CaddySettings } from './config/caddy-config.ts';
import { streamField } from './config/caddy-upstreams.ts';
import { createDrain } from './caddy-drain.ts';
import { listenForNews, newsSocketName } from './caddy-news.ts';
import { watchRequests } from './config/caddy-requests.ts';
import { proxyFilePrefix, type ProxyFile } from './config/caddy-tls.ts';
import { adminSocketInContainer } from './proxy-service.ts';
import { oneAtATime } from '../../domain/time/one-at-a-time.ts';

/** Told to whoever watches a proxy. */
export type ProxyWatcher = Required<
  Pick<CaddyProxyOptions, 'onNews' | 'onRequests' | 'beforeLoad' | 'allows'>
>;

export interface CaddyProxyOptions {
  /** Path of the admin socket as this process sees it. */
  adminSocket: string;
  /** Where the files beside the admin socket are; absent: in its folder, of this machine. */
  beside?: { folder: string; disk: FolderFiles } | undefined;
  /** As sentences name another server. */
  serverName?: string | undefined;
  /** Why its machine cannot be reached at this moment, where something between here and there knows. */
  whySilent?: (() => string | undefined) | undefined;
  /** Ports of the proxy as browsers see it, for redirects; 80 and 443 when absent. */
  publicHttpPort?: number;
  publicHttpsPort?: number;
  /** Names of cookies that no service gets; Berth's own when absent. */
  keptCookies?: readonly string[] | undefined;
  /** Told what becomes of certificates. */
  onNews?: (news: CertificateNews) => void;
  /** Told of the requests that were answered; without it nobody reads their log. */
  onRequests?: (requests: readonly SeenRequest[]) => Promise<void>;
  /** Before each configuration that is loaded: what of the store is lost by then is asked for anew. */
  beforeLoad?: () => Promise<unknown>;
  /** Whether the proxy may get a certificate for a host without a route; without it none is. */
  allows?: (host: string) => Promise<boolean>;
}

const usualPorts = { publicHttpPort: 80, publicHttpsPort: 443 };
const readLimitMs = 5_000;

/**
 * Caddy provisions the whole configuration anew: measured 0.6 s for 1,000 routes, 1.8 s for 5,000, on a
 * loaded machine.
 */
const loadLimitMs = 60_000;

/**
 * The proxy port over Caddy's admin API. Calls of `apply` are done one after another, so the last one
 * decides.
 */
export function createCaddyProxy({ beside, ...options }: CaddyProxyOptions): Proxy {
  const { adminSocket } = options;
  return proxyBeside(beside ?? { folder: dirname(adminSocket), disk: localFolderFiles }, options);
}

function proxyBeside(
  beside: Beside,
  {
    adminSocket,
    serverName,
    whySilent,
    onNews = () => undefined,
    onRequests,
    beforeLoad,
    allows = async () => false,
    ...given
  }: CaddyProxyOptions,
): Proxy {
  let settings: CaddySettings = { adminSocket: adminSocketInContainer, ...usualPorts, ...given };
  const admin: AdminAddress = { socketPath: adminSocket, serverName, whySilent };
  const inTurn = oneAtATime();
  let loaded: Loaded | undefined;
  /** Those that were asked for last, by which accounts of authorities are told. */
  let asked: readonly Route[] = [];
  const watch = onRequests && watchRequests(dirname(adminSocket), onRequests);
  const tell = (news: CertificateNews): void =>
    onNews(news.kind === 'failed' ? { ...news, authority: withAccount(news, asked) } : news);

  const drain = createDrain(beside.folder, () => watch?.lastAt(), beside.disk);
  const begin = onceDone(() =>
    Promise.all([drain.begin(), ...listen(dirname(adminSocket), { tell, allows })]),
  );

  async function applyNow(given: Parameters<Proxy['apply']>[0]): Promise<{ changed: boolean }> {
    // Caddy refuses a configuration whose log goes to a socket where nobody listens.
    await begin();
    // First, so that nothing is read and written for a proxy that does not answer.
    const running = await readId(admin);
    const routes = typeof given === 'function' ? await given() : given;
    // Requests for Berth itself belong to no service.
    watch?.use(routes.filter(({ isBerth }) => !isBerth));
    asked = routes;
    return put(routes, running);
  }

  async function put(routes: readonly Route[], running: string | undefined): Promise<{ changed: boolean }> {
    // Calls that wait are answered before the long part.
    await othersFirst();
    const { digest, text, files } = caddyDocument(routes, settings);
    await othersFirst();
    if (
      running === idOf(digest) ||
      (running !== undefined && running === loaded?.id && asksNobodyNew(loaded, routes, settings))
    )
      return { changed: false };
    await writeFiles(beside, files);
    await beforeLoad?.();
    const answer = await drain.during(() => load(admin, text));
    if (knowsNoStreams(settings, answer)) {
      settings = { ...settings, keepsStreams: false };
      return put(routes, running);
    }
    refuseFailed(answer);
    await removeOthers(beside, files);
    loaded = { id: idOf(digest), routes };
    return { changed: true };
  }

  return {
    apply: (routes) => inTurn(() => applyNow(routes)),
    current: () => currentId(admin),
    expected: (routes) => idOf(caddyDocument(routes, settings).digest),
  };
}

/** By sockets that the proxy reaches. */
const listen = (
  folder: string,
  { tell, allows }: { tell(news: CertificateNews): void; allows(host: string): Promise<boolean> },
): Promise<unknown>[] => [
  listenForNews(join(folder, newsSocketName), tell),
  listenForQuestions(join(folder, askSocketName), allows),
];

function load(admin: AdminAddress, body: string): Promise<AdminAnswer> {
  return callAdmin(admin, { method: 'POST', path: '/load', body, limitMs: loadLimitMs });
}

/** The proxy is older than 2.7. */
function knowsNoStreams({ keepsStreams }: CaddySettings, { status, body }: AdminAnswer): boolean {
  return keepsStreams !== false && status >= 300 && body.includes(streamField);
}

/** Done at the first call; after a failure at the next one again. */
function onceDone(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

function refuseFailed({ status, body }: AdminAnswer): void {
  if (status >= 300)
    throw new AppError(
      'BAD_REQUEST',
      `The proxy refused the new routes and keeps the former ones: ${errorWords(body)}`,
    );
}

/** Undefined when the proxy does not answer, empty when what it runs is not ours. */
async function currentId(admin: AdminAddress): Promise<string | undefined> {
  try {
    return (await readId(admin)) ?? '';
  } catch (error) {
    if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') return undefined;
    throw error;
  }
}

/** What the running configuration was made from. */
interface Loaded {
  id: string;
  routes: readonly Route[];
}

/**
 * That an authority refuses a host is no reason for a change, which would end everybody's WebSockets; only
 * that it may be asked again is.
 */
function asksNobodyNew(former: Loaded, routes: readonly Route[], settings: CaddySettings): boolean {
  const digestIfAsked = (all: readonly Route[]): string =>
    caddyDocument(all.map(unwithheld), settings).digest;
  const [before, now] = [withheldHosts(former.routes), withheldHosts(routes)];
  return (
    now.size > 0 &&
    [...before].every((host) => now.has(host)) &&
    digestIfAsked(routes) === digestIfAsked(former.routes)
  );
}

function withheldHosts(routes: readonly Route[]): Set<string> {
  return new Set(
    routes.flatMap(({ host, certificate }) =>
      certificate?.source === 'acme' && certificate.isWithheld ? [host] : [],
    ),
  );
}

function unwithheld(route: Route): Route {
  return route.certificate?.source === 'acme'
    ? { ...route, certificate: { ...route.certificate, isWithheld: false } }
    : route;
}

/** Caddy names the authority alone. */
function withAccount(
  { host, authority }: { host: string; authority: string },
  routes: readonly Route[],
): string {
  const certificate = routes.find((route) => route.host === host && route.https)?.certificate;
  return certificate?.source === 'acme' && certificate.account !== null
    ? `${certificate.account}/${authority}`
    : authority;
}

type Beside = NonNullable<CaddyProxyOptions['beside']>;

/** Named by their content, so that one that is there is right. */
async function writeFiles({ folder, disk }: Beside, files: readonly ProxyFile[]): Promise<void> {
  for (const { name, content } of files) await disk.write(join(folder, name), content, 0o644);
}

/** Those of former documents. */
async function removeOthers({ folder, disk }: Beside, files: readonly ProxyFile[]): Promise<void> {
  const kept = new Set(files.map(({ name }) => name));
  for (const { name } of (await disk.list(folder)) ?? [])
    if (name.startsWith(proxyFilePrefix) && !kept.has(name)) await disk.remove(join(folder, name));
}

/**
 * The digest in the configuration that runs; undefined when it is not one of ours, such as a fresh proxy's.
 */
async function readId(admin: AdminAddress): Promise<string | undefined> {
  const answer = await callAdmin(admin, {
    method: 'GET',
    path: '/config/apps/http/@id',
    limitMs: readLimitMs,
  });
  if (answer.status >= 300) return undefined;
  const value: unknown = JSON.parse(answer.body);
  return typeof value === 'string' ? value : undefined;
}

/** Caddy answers a refusal as `{"error": …}`. */
function errorWords(body: string): string {
  try {
    const answer: unknown = JSON.parse(body);
    if (
      typeof answer === 'object' &&
      answer !== null &&
      'error' in answer &&
      typeof answer.error === 'string'
    )
      return answer.error;
  } catch {
    // Not JSON: the text itself has to do.
  }
  return body.trim() || 'no reason given';
}
