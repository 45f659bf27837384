/** What the services of a compose do by hand: start, stop, show their output, go. */
import { composeServiceLabel } from '../../domain/names/labels.ts';
import { earlierLeftOut, newestLines } from '../../domain/text/line-limits.ts';
import { statusAfter } from '../../domain/states/lifecycle.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { composeRef, isSameService, ownerOfLabels } from '../../domain/names/service-ref.ts';
import type { Engine, LogLine, ServiceSpec, ServiceState } from '../../ports/engine/engine.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';
import {
  awaitEnded,
  awaitRunning,
  removeFromEngine,
  type Removal,
  type FollowOptions,
  type OutputOptions,
} from '../service/own-service.ts';
import { woven } from '../service/output-events.ts';
import type { Turns } from '../service/turns.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import type { Composes } from './compose.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';
import { givenVolumes } from '../../domain/names/restored-volumes.ts';

export interface ComposeRuntime {
  /** Every service of the live release back to its replicas; PRECONDITION_FAILED before any release. */
  start(compose: ComposeRecord): Promise<ComposeRecord>;
  stop(compose: ComposeRecord): Promise<ComposeRecord>;
  hasTasks(compose: ComposeRecord): Promise<boolean>;
  /** Of all services, or of one by its name in the file (BAD_REQUEST when there is none), oldest first. */
  readLogs(compose: ComposeRecord, options: ComposeOutputOptions): Promise<ComposeLogLine[]>;
  /** The same as it comes, until the signal fires; `tail` counts for each service. */
  followLogs(
    compose: ComposeRecord,
    options: FollowOptions & { serviceName?: string | undefined },
  ): AsyncIterable<ComposeLogLine>;
  /**
   * Removes its services under any name they had, images, network, copies and, when asked, its volumes; gives
   * the volumes that stay.
   */
  remove(compose: ComposeRecord, removal: Pick<Removal, 'deleteVolumes' | 'stays'>): Promise<string[]>;
}

export interface ComposeOutputOptions extends OutputOptions {
  serviceName?: string | undefined;
}

export interface ComposeLogLine extends LogLine {
  serviceName: string;
}

export interface LiveService {
  /** As the file has it. */
  service: string;
  spec: ServiceSpec;
}

export interface ComposeRuntimeOptions {
  hosts: Hosts;
  composes: Pick<Composes, 'patch'>;
  turns: Turns;
  /** What the engine should run of it; none before the first release. */
  liveServices(compose: ComposeRecord): Promise<LiveService[]>;
  networksOf(composeId: string): readonly string[];
  /** What its services mounted of its repository. */
  removeCopies(host: Host, composeId: string): Promise<void>;
  /** Bytes of output in one answer. */
  logAnswerBytes(): Promise<number>;
}

const reader = 'compose.readLogs';

export function createComposeRuntime(options: ComposeRuntimeOptions): ComposeRuntime {
  const { hosts, composes, turns } = options;
  const presentHost = (compose: ComposeRecord): Promise<Host | undefined> => hosts.find(serverKeyOf(compose));

  async function settle(
    compose: ComposeRecord,
    event: 'started' | 'stopped',
    isStopped: boolean,
  ): Promise<ComposeRecord> {
    const changed = { isStopped, composeStatus: statusAfter(event, compose.composeStatus) };
    await composes.patch(compose.composeId, changed);
    return { ...compose, ...changed };
  }

  return {
    start: (compose) =>
      turns.take(compose.composeId, async () => {
        const live = await options.liveServices(compose);
        if (live.length === 0) throw notDeployedYet(compose.name);
        await startAll((await hosts.of(serverKeyOf(compose))).engine, compose, live);
        return settle(compose, 'started', false);
      }),
    stop: (compose) =>
      turns.take(compose.composeId, async () => {
        const host = await presentHost(compose);
        if (host) await stopAll(host.engine, compose);
        return settle(compose, 'stopped', true);
      }),
    async hasTasks(compose) {
      const host = await presentHost(compose);
      return host !== undefined && (await present(host.engine, compose)).some(({ replicas }) => replicas > 0);
    },
    async readLogs(compose, wanted) {
      const host = await presentHost(compose);
      return host ? readAll(host.engine, compose, { ...wanted, bytes: await options.logAnswerBytes() }) : [];
    },
    async *followLogs(compose, { serviceName, ...wanted }) {
      const host = await presentHost(compose);
      if (!host) return;
      const services = await shownServices(host.engine, compose, serviceName);
      yield* woven(
        services.map(async function* ({ name, shown }) {
          for await (const line of host.engine.serviceLogs(name, { ...wanted, follow: true }))
            yield { ...line, serviceName: shown };
        }),
      );
    },
    async remove(compose, { deleteVolumes, stays }) {
      const host = await presentHost(compose);
      if (!host) return [];
      const kept = await removeFromEngine(host.engine, composeRef(compose.composeId), {
        deleteVolumes,
        given: givenVolumes(compose.restoredVolumes),
        stays: async (reason) => [await settle(compose, 'stopped', true), await stays?.(reason)],
      });
      for (const network of options.networksOf(compose.composeId)) await host.engine.removeNetwork(network);
      await options.removeCopies(host, compose.composeId);
      return kept;
    },
  };
}

async function present(engine: Engine, { composeId }: ComposeRecord): Promise<ServiceState[]> {
  return (await engine.services()).filter(({ labels }) =>
    isSameService(ownerOfLabels(labels), composeRef(composeId)),
  );
}

async function startAll(engine: Engine, compose: ComposeRecord, live: readonly LiveService[]): Promise<void> {
  const there = new Map((await present(engine, compose)).map((service) => [service.name, service]));
  for (const { spec } of live) {
    if (there.get(spec.name)?.specDigest === engine.specDigest(spec))
      await engine.scaleService(spec.name, spec.replicas);
    else await engine.applyService(spec);
  }
  // What may end well may have ended before anybody looks.
  for (const { spec } of live)
    if (spec.restart === undefined) await awaitRunning(engine, spec.name, spec.replicas, reader);
}

async function stopAll(engine: Engine, compose: ComposeRecord): Promise<void> {
  const services = await present(engine, compose);
  // What depends on others goes first, so that nothing loses what it needs before its time.
  for (const { name } of services.toReversed()) await engine.scaleService(name, 0);
  for (const { name } of services) await awaitEnded(engine, name, reader);
}

/** Those that are there, by their names in the file; all, or the one that is wanted. */
async function shownServices(
  engine: Engine,
  compose: ComposeRecord,
  serviceName: string | undefined,
): Promise<{ name: string; shown: string }[]> {
  return (await present(engine, compose))
    .map(({ name, labels }) => ({ name, shown: labels[composeServiceLabel] ?? name }))
    .filter(({ shown }) => serviceName === undefined || shown === serviceName);
}

async function readAll(
  engine: Engine,
  compose: ComposeRecord,
  { serviceName, bytes, ...options }: ComposeOutputOptions & { bytes: number },
): Promise<ComposeLogLine[]> {
  const wanted = await shownServices(engine, compose, serviceName);
  const newest = newestLines<ComposeLogLine>({ lines: options.tail, bytes });
  for (const { name, shown } of wanted) {
    for await (const line of engine.serviceLogs(name, options)) newest.add({ ...line, serviceName: shown });
  }
  const { lines, leftOut } = newest.result();
  const [first] = lines;
  if (leftOut > 0 && first) lines.unshift({ ...first, text: earlierLeftOut(leftOut, bytes) });
  return lines;
}
