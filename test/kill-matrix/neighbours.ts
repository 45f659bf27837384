/**
 * What stands beside the engine in these tests: a repository, a builder, a proxy and files, each as little as
 * a deployment needs of it, and real in that what one puts down the other finds.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../server/src/composition/installation/log.ts';
import type { Builder } from '../../server/src/ports/engine/builder.ts';
import type { DeploymentLogs } from '../../server/src/ports/deployment-log.ts';
import type { Git } from '../../server/src/ports/git.ts';
import type { Proxy as ProxyPort, Route } from '../../server/src/ports/proxy.ts';
import type { TableRecord } from '../../server/src/db/tables.ts';
import { isoTime, randomId, systemClock } from '../../server/src/ports/clock.ts';
import type { Host } from '../../server/src/ports/host/host.ts';
import type { WorkFiles } from '../../server/src/ports/host/work-files.ts';
import type { EngineInMemory } from '../engine-in-memory/engine-in-memory.ts';
import type { ImageContent } from '../engine-in-memory/programs/program.ts';
import { plainServer } from '../world/plain-server.ts';

/** What outlives a kill besides the database and the engine: the disk and the proxy. */
export interface Machine {
  memory: EngineInMemory;
  /** Texts by path. */
  disk: Map<string, string>;
  /** Digest of the routes that the proxy has; empty when it was just started. */
  routes: { digest: string };
  /** What the newest commit of every repository holds. */
  repository: Readonly<Record<string, string>>;
  /** What a build makes. */
  built: ImageContent;
  /** What a build takes, in milliseconds. */
  buildMs: number;
  logs: Map<string, string[]>;
  /** Organizations whose builders were told of a build that comes. */
  readied: string[];
  /** Servers beside Berth's own machine, by their ids. */
  others: Map<string, Machine>;
  /** Of its disk; absent: plenty. */
  freeBytes?: number;
  /** The way to it; absent: it can always be reached. */
  reachable?: Host['reachable'];
}

/** Unix socket of the engine of a server, as a builder elsewhere is told it. */
export const intakeOf = (serverKey: string): string => `/engines/${serverKey}.sock`;

const commit = createHash('sha1').update('the newest').digest('hex');

export function gitOf(machine: Machine): Git {
  return {
    async checkout(_source, directory, run) {
      const { disk, repository } = machine;
      for (const [path, text] of Object.entries(repository)) disk.set(`${directory}/${path}`, text);
      return { commit: run.commit ?? commit, subject: 'The newest', author: 'Nina' };
    },
  };
}

/** `engineAt` gives the engine of another server by its socket. */
export function builderOf(machine: Machine, engineAt: (socket: string) => EngineInMemory): Builder {
  return {
    getReady: async (organizationId) => void machine.readied.push(organizationId),
    programs: async () => [],
    tidy: async () => undefined,
    remove: async () => undefined,
    async build({ image, labels, sourceDirectory, dockerfile, deliverTo, onLine, signal }) {
      const { memory, disk, built, buildMs } = machine;
      if (!disk.has(`${sourceDirectory}/${dockerfile}`))
        throw new Error(`${dockerfile} is not in the source`);
      onLine(`Building ${image}`);
      await pause(buildMs, undefined, { signal });
      const engine = deliverTo ? engineAt(deliverTo.socket) : memory;
      engine.addImage(image, { ...built, labels });
    },
  };
}

const digestOf = (routes: readonly Route[]): string =>
  createHash('sha256').update(JSON.stringify(routes)).digest('hex');

export function proxyOf({ routes: kept }: Machine): ProxyPort {
  return {
    async apply(routes) {
      const wanted = digestOf(typeof routes === 'function' ? await routes() : routes);
      const changed = wanted !== kept.digest;
      kept.digest = wanted;
      return { changed };
    },
    current: async () => kept.digest,
    expected: digestOf,
  };
}

export function filesOf(machine: Machine): WorkFiles {
  const { disk } = machine;
  const below = (folder: string): string[] =>
    [...disk.keys()].filter((path) => path.startsWith(`${folder}/`));
  const remove = (folder: string): void => {
    for (const path of [folder, ...below(folder)]) disk.delete(path);
  };
  const writeNew = (path: string, content: string): boolean => {
    if (disk.has(path)) return false;
    disk.set(path, content);
    return true;
  };
  const copy = (source: string, target: string): boolean => {
    const paths = disk.has(source) ? [source] : below(source);
    for (const path of paths) disk.set(`${target}${path.slice(source.length)}`, disk.get(path) ?? '');
    return paths.length > 0;
  };
  return {
    fresh: async (folder) => remove(folder),
    remove: async (folder) => remove(folder),
    copy: async (source, target) => void copy(source, target),
    readInside: async (root, path) => disk.get(`${root}/${path}`),
    copyInside: async (root, path, target) => copy(`${root}/${path}`, target),
    writeInside: async (root, path, content) => writeNew(`${root}/${path}`, content),
    names: async (folder) => [
      ...new Set(below(folder).map((path) => path.slice(folder.length + 1).split('/')[0] ?? '')),
    ],
    bytesIn: async (folder) => below(folder).reduce((sum, path) => sum + (disk.get(path)?.length ?? 0), 0),
    freeBytes: async () => machine.freeBytes ?? 2 ** 40,
  };
}

/** `passes` says of each line whether it may be written. */
export function logsOf({ logs }: Machine, passes: () => boolean): DeploymentLogs {
  return {
    writer: (deploymentId, redact) => ({
      line(text) {
        if (passes()) logs.set(deploymentId, [...(logs.get(deploymentId) ?? []), redact(text)]);
      },
      close: async () => undefined,
    }),
    readEnd: async (deploymentId) =>
      (logs.get(deploymentId) ?? []).map((text, index) => ({ position: index + 1, text })),
    follow: () => {
      throw new Error('Nobody follows a log here.');
    },
    lines: () => {
      throw new Error('Nobody reads a log by position here.');
    },
    remove: async (deploymentId) => void logs.delete(deploymentId),
  };
}

/** A set-up server of the organization. */
export function serverRecord(organizationId: string, serverId = randomId()): TableRecord<'server'> {
  return {
    ...plainServer,
    serverId,
    organizationId,
    name: 'frankfurt',
    ipAddress: '192.0.2.20',
    setupStatus: 'done',
    createdAt: isoTime(systemClock),
  };
}

/** No machine here is a node of a cluster. */
export const noStanding: Host['standing'] = {
  look: () => Promise.reject(new Error('no container stands here')),
  replace: () => Promise.reject(new Error('no container stands here')),
  settle: async () => undefined,
  putBack: async () => undefined,
  isUnsettled: async () => false,
  attach: async () => 0,
  remove: async () => undefined,
};

/** What is reported, for tests to look at. */
export function logOf(drift: string[], faults: string[]): Log {
  return {
    info: () => undefined,
    warn(_message, fields) {
      const found: unknown = Reflect.get(fields ?? {}, 'found');
      if (Array.isArray(found)) drift.push(...found.map(String));
    },
    fault(error) {
      faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return `fault-${faults.length}`;
    },
  };
}
