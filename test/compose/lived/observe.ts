/** What a compose file is like once it runs: what its containers say of themselves, and how they end. */
import { connect } from 'node:net';
import { z } from 'zod';
import { createEngineClient, segment } from '../../../server/src/adapters/engine/client/engine-client.ts';
import { buffer } from 'node:stream/consumers';
import type { Meaning, Meanings } from '../judge/meaning.ts';

/** One container, as long as the engine remembers it. */
interface Seen {
  service: string;
  state: string;
  log: string;
}

export interface Watch {
  /** Looks again; gives whether each of the services has told of itself. */
  look(): Promise<boolean>;
  /** What is known by now. */
  lived(): Promise<Lived>;
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
const doing = 'the test looked';

/** Watches the containers for which `serviceOf` gives a name by their labels. */
export function watchContainers(
  engineSocket: string,
  expected: readonly string[],
  serviceOf: (labels: Readonly<Record<string, string>>) => string | undefined,
): Watch {
  const client = createEngineClient(engineSocket);
  const seen = new Map<string, Seen>();
  const logOf = async (id: string): Promise<string> => {
    const query = { stdout: true, stderr: true };
    const path = `/containers/${segment(id)}/logs`;
    return String(await buffer(await client.open({ method: 'GET', path, query, doing })));
  };
  const look = async (): Promise<boolean> => {
    const containers = await client.call(
      { method: 'GET', path: '/containers/json', query: { all: true }, doing },
      listed,
    );
    for (const { Id, Labels, State, Status } of containers) {
      const service = serviceOf(Labels);
      if (service === undefined) continue;
      const state = State === 'running' ? State : (/^Exited \(\d+\)/.exec(Status)?.[0] ?? State);
      const before = seen.get(Id);
      // One that has ended says nothing more.
      if (before?.state === state && state !== 'running') continue;
      const log = await logOf(Id).catch(() => before?.log ?? '');
      seen.set(Id, { service, state, log });
    }
    const present = new Set(containers.map(({ Id }) => Id));
    for (const [id, container] of seen)
      if (!present.has(id) && container.state === 'running') seen.set(id, { ...container, state: 'removed' });
    const told = new Set(
      [...seen.values()].flatMap(({ service, log }) => (reportsIn(log).length > 0 ? [service] : [])),
    );
    return expected.every((name) => told.has(name));
  };
  return {
    look,
    async lived() {
      await look();
      const services: Meanings = {};
      const began: Record<string, number> = {};
      for (const name of expected) {
        const own = [...seen.values()].filter(({ service }) => service === name);
        const reports = own.flatMap(({ log }) => reportsIn(log)).toSorted((one, other) => one.at - other.at);
        const [first] = reports;
        if (!first) {
          const said = own.map(({ state, log }) => `${state} ${log.slice(-300)}`);
          services[name] = { program: `said nothing: ${said.join('; ') || 'no container'}` };
          continue;
        }
        const { at, ...report } = first;
        began[name] = at;
        services[name] = { ...report, ...lifeOf(own) };
      }
      return { services, began };
    },
  };
}

function lifeOf(containers: readonly Seen[]): Meaning {
  const running = containers.filter(({ state }) => state === 'running').length;
  const [ended] = containers.filter(({ state }) => state.startsWith('Exited')).map(({ state }) => state);
  return { scale: running || undefined, end: running > 0 ? undefined : ended };
}

const reportsIn = (log: string): { at: number }[] =>
  log.split('\n').flatMap((line) => {
    const at = line.indexOf('REPORT {');
    return at < 0 ? [] : [reported.parse(JSON.parse(line.slice(at + 'REPORT '.length)))];
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
