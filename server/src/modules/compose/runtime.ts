/** What the services of a compose do by hand: start, stop, show their output, go. */
import { AppError } from '../../domain/errors.ts';
import { statusAfter } from '../../domain/lifecycle.ts';
import { composeRef, isSameService, ownerOfLabels } from '../../domain/service-ref.ts';
import type { Engine, LogLine, ServiceSpec, ServiceState } from '../../ports/engine.ts';
import { awaitEnded, awaitRunning, removeFromEngine, type OutputOptions } from '../service/own-service.ts';
import type { Turns } from '../service/turns.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import type { Composes } from './compose.ts';

export interface ComposeRuntime {
  /** Every service of the live release back to its replicas; PRECONDITION_FAILED before any release. */
  start(compose: ComposeRecord): Promise<ComposeRecord>;
  stop(compose: ComposeRecord): Promise<ComposeRecord>;
  hasTasks(compose: ComposeRecord): Promise<boolean>;
  /** Of all services, or of one by its name in the file (BAD_REQUEST when there is none), oldest first. */
  readLogs(
    compose: ComposeRecord,
    options: OutputOptions & { serviceName?: string | undefined },
  ): Promise<ComposeLogLine[]>;
  /** Removes its services under any name they had, images, network, copies and, when asked, its volumes; gives the volumes that stay. */
  remove(compose: ComposeRecord, options: { deleteVolumes: boolean }): Promise<string[]>;
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
  engine: Engine;
  composes: Pick<Composes, 'patch'>;
  turns: Turns;
  /** What the engine should run of it; none before the first release. */
  liveServices(compose: ComposeRecord): Promise<LiveService[]>;
  networkOf(composeId: string): string;
  /** What its services mounted of its repository. */
  removeCopies(composeId: string): Promise<void>;
}

const reader = 'compose.readLogs';
const nameLabel = 'berth.service';
/** Lines looked through for a search. */
const searchedLines = 10_000;

export function createComposeRuntime(options: ComposeRuntimeOptions): ComposeRuntime {
  const { engine, composes, turns } = options;
  const present = async ({ composeId }: ComposeRecord): Promise<ServiceState[]> =>
    (await engine.services()).filter(({ labels }) =>
      isSameService(ownerOfLabels(labels), composeRef(composeId)),
    );

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
        if (live.length === 0)
          throw new AppError('PRECONDITION_FAILED', `${compose.name} has no release yet: deploy first.`);
        const there = new Map((await present(compose)).map((service) => [service.name, service]));
        for (const { spec } of live) {
          if (there.get(spec.name)?.specDigest === engine.specDigest(spec))
            await engine.scaleService(spec.name, spec.replicas);
          else await engine.applyService(spec);
        }
        for (const { spec } of live) await awaitRunning(engine, spec.name, spec.replicas, reader);
        return settle(compose, 'started', false);
      }),
    stop: (compose) =>
      turns.take(compose.composeId, async () => {
        const services = await present(compose);
        // What depends on others goes first, so that nothing loses what it needs before its time.
        for (const { name } of services.toReversed()) await engine.scaleService(name, 0);
        for (const { name } of services) await awaitEnded(engine, name, reader);
        return settle(compose, 'stopped', true);
      }),
    hasTasks: async (compose) => (await present(compose)).some(({ replicas }) => replicas > 0),
    async readLogs(compose, { serviceName, tail, since, search }) {
      const services = (await present(compose)).map((service) => ({
        ...service,
        shown: service.labels[nameLabel] ?? service.name,
      }));
      const wanted = services.filter(({ shown }) => serviceName === undefined || shown === serviceName);
      const lines: ComposeLogLine[] = [];
      for (const { name, shown } of wanted) {
        for await (const line of engine.serviceLogs(name, {
          tail: search === undefined ? tail : searchedLines,
          ...(since === undefined ? {} : { since }),
          follow: false,
        })) {
          if (search === undefined || line.text.includes(search)) lines.push({ ...line, serviceName: shown });
        }
      }
      return lines
        .toSorted((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0))
        .slice(-tail);
    },
    async remove({ composeId }, { deleteVolumes }) {
      const kept = await removeFromEngine(engine, composeRef(composeId), { deleteVolumes });
      await engine.removeNetwork(options.networkOf(composeId));
      await options.removeCopies(composeId);
      return kept;
    },
  };
}
