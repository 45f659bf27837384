/** What a compose file is like once it runs: what its containers say of themselves, and how they end. */
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import {
  createEngineClient,
  segment,
  type EngineClient,
} from '../../../server/src/adapters/engine/client/engine-client.ts';
import type { Meaning, Meanings } from '../judge/meaning.ts';
import { settingsOf, type Settings } from './settings.ts';

/** One container, as long as the engine remembers it. */
interface Seen {
  service: string;
  state: string;
  log: string;
  settings: Settings;
}

type Line = 'REPORT' | 'MARKED' | 'SEEN';

export interface Watch {
  /** Looks again. */
  look(): Promise<void>;
  /** Whether each of these has said the line, as often as that; those that run, but for reports. */
  said(line: Line, services: readonly string[], times?: number): boolean;
  /** Those of which a container runs. */
  running(): string[];
  /** Processes of the containers that run, as the engine's machine counts them. */
  processes(): number[];
  /** What is known by now. */
  lived(): Lived;
}

export interface Lived {
  services: Meanings;
  /** When a container of each service began, in milliseconds since 1970. */
  began: Readonly<Record<string, number>>;
}

const listed = z.array(
  z.looseObject({
    Id: z.string(),
    Labels: z.record(z.string(), z.string()),
    State: z.string(),
    Status: z.string(),
  }),
);
const reported = z.looseObject({ at: z.number() });
const told = z.looseObject({});
const doing = 'the test looked';

/** Watches the containers for which `serviceOf` gives a name by their labels. */
export function watchContainers(
  engineSocket: string,
  serviceOf: (labels: Readonly<Record<string, string>>) => string | undefined,
): Watch {
  const client = createEngineClient(engineSocket);
  const seen = new Map<string, Seen>();
  const look = async (): Promise<void> => {
    const path = '/containers/json';
    const containers = await client.call({ method: 'GET', path, query: { all: true }, doing }, listed);
    const own = containers.flatMap((container) => {
      const service = serviceOf(container.Labels);
      return service === undefined ? [] : [{ ...container, service }];
    });
    await Promise.all(
      own.map(async ({ Id: id, service, State, Status }) => {
        const state = State === 'running' ? State : (/^Exited \(\d+\)/.exec(Status)?.[0] ?? State);
        const before = seen.get(id);
        // One that has ended says nothing more.
        if (before?.state === state && state !== 'running') return;
        const log = await logOf(client, id).catch(() => before?.log ?? '');
        const settings =
          state === 'running' || before === undefined
            ? await settingsOf(client, id).catch(() => before?.settings)
            : before.settings;
        seen.set(id, { service, state, log, settings: settings ?? { process: 0, asked: {} } });
      }),
    );
    const present = new Set(own.map(({ Id }) => Id));
    for (const [id, container] of seen)
      if (!present.has(id) && container.state === 'running') seen.set(id, { ...container, state: 'removed' });
  };
  const alive = (): Seen[] => [...seen.values()].filter(({ state }) => state === 'running');
  return {
    look,
    said(line, services, times = 1) {
      const saying = line === 'REPORT' ? [...seen.values()] : alive();
      return services.every((name) => {
        const own = saying.filter(({ service }) => service === name);
        return line === 'REPORT'
          ? own.reduce((sum, { log }) => sum + linesOf(log, line).length, 0) >= times
          : own.length > 0 && own.every(({ log }) => linesOf(log, line).length > 0);
      });
    },
    running: () => [...new Set(alive().map(({ service }) => service))],
    processes: () => alive().flatMap(({ settings }) => (settings.process > 0 ? [settings.process] : [])),
    lived: () => livedOf([...seen.values()]),
  };
}

async function logOf(client: EngineClient, id: string): Promise<string> {
  const query = { stdout: true, stderr: true };
  const path = `/containers/${segment(id)}/logs`;
  return String(await buffer(await client.open({ method: 'GET', path, query, doing })));
}

function livedOf(containers: readonly Seen[]): Lived {
  const services: Meanings = {};
  const began: Record<string, number> = {};
  for (const name of new Set(containers.map(({ service }) => service))) {
    const own = containers.filter(({ service }) => service === name);
    const reports = own
      .flatMap(({ log }) => linesOf(log, 'REPORT').map((line) => reported.parse(line)))
      .toSorted((one, other) => one.at - other.at);
    const [first] = reports;
    if (!first) {
      const said = own.map(({ state, log }) => `${state} ${log.slice(-300)}`);
      services[name] = { program: `said nothing: ${said.join('; ')}` };
      continue;
    }
    const { at, ...report } = first;
    began[name] = at;
    const found = own.flatMap(({ log }) => linesOf(log, 'SEEN').map((line) => told.parse(line)));
    services[name] = { ...report, ...own.at(-1)?.settings.asked, ...found[0], ...lifeOf(own) };
  }
  return { services, began };
}

function lifeOf(containers: readonly Seen[]): Meaning {
  const running = containers.filter(({ state }) => state === 'running').length;
  const [ended] = containers.filter(({ state }) => state.startsWith('Exited')).map(({ state }) => state);
  return { scale: running || undefined, end: running > 0 ? undefined : ended };
}

const linesOf = (log: string, word: Line): unknown[] =>
  log.split('\n').flatMap((line): unknown[] => {
    const at = line.indexOf(`${word} {`);
    if (at < 0) return [];
    try {
      return [JSON.parse(line.slice(at + word.length + 1))];
    } catch {
      // Half of a line, whose end comes with the next look.
      return [];
    }
  });

/** Whether something listens at the address. */
export const answers = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5000 });
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket
      .once('data', end(true))
      .once('error', end(false))
      .once('timeout', end(false))
      .once('close', end(false));
  });
