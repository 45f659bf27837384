/** Containers of the one node: made, started, stopped, removed; their output and their health. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './networks.ts';
import { nothing, startProcess } from './programs/process.ts';
import type { Stream } from './programs/program.ts';
import { Refusal } from './routes/refusal.ts';
import { changed, hexId, logTime, type Container, type State } from './state.ts';

/** A message of a container's output is at most so long (Docker's own). */
const longestMessage = 16 * 1024;
const defaultGraceMs = 10_000;
const killed = 137;
const newline = 0x0a;

export type Wanted = Partial<Container> & Pick<Container, 'name' | 'imageName' | 'image' | 'argv'>;

export function createContainer(state: State, wanted: Wanted): Container {
  const container: Container = {
    id: hexId(),
    createdAt: Date.now(),
    startedAt: 0,
    finishedAt: 0,
    state: 'created',
    exitCode: 0,
    outOfMemory: false,
    networks: new Map(),
    volumes: [],
    mounted: new Set(),
    files: new Map(),
    log: [],
    isLogged: true,
    memoryBytes: undefined,
    hasInit: false,
    restart: 'no',
    stopGraceMs: defaultGraceMs,
    takesInput: false,
    health: 'none',
    healthTest: undefined,
    process: undefined,
    attached: new Set(),
    ...wanted,
    env: { ...wanted.image?.content.env, ...wanted.env },
    labels: { ...wanted.image?.content.labels, ...wanted.labels },
  };
  state.containers.set(container.id, container);
  for (const name of container.volumes)
    if (!state.volumes.has(name)) state.volumes.set(name, { name, labels: {} });
  return container;
}

export function startContainer(
  state: State,
  container: Container,
  input: AsyncIterable<Uint8Array> = nothing(),
): void {
  if (container.state === 'running') return;
  container.state = 'running';
  container.startedAt = Date.now();
  container.outOfMemory = false;
  container.health = container.healthTest === undefined ? 'none' : 'starting';
  const output = createOutput(state, container);
  const process = startProcess(state, container, {
    argv: container.argv,
    env: container.env,
    input,
    write: output.write,
    ask: (host, port) => ask(state, container, host, port),
  });
  container.process = process;
  void process.ended.then((exitCode) => {
    output.end();
    container.process = undefined;
    container.state = 'exited';
    container.exitCode = exitCode;
    container.finishedAt = Date.now();
    changed(state);
  });
  if (container.healthTest !== undefined) void watchHealth(state, container);
  changed(state);
}

/** Asks it to stop, and ends it when its grace is over; resolves when it has ended. */
export async function stopContainer(container: Container, graceMs = container.stopGraceMs): Promise<void> {
  const { process } = container;
  if (process === undefined) return;
  process.stop();
  const late = setTimeout(() => process.kill(killed), graceMs);
  await process.ended;
  clearTimeout(late);
}

export function killContainer(container: Container): void {
  container.process?.kill(killed);
}

export function removeContainer(state: State, container: Container): void {
  killContainer(container);
  state.containers.delete(container.id);
  changed(state);
}

/** By its id, the beginning of its id, or its name. */
export function findContainer(state: State, idOrName: string): Container {
  const all = [...state.containers.values()];
  const begun = all.filter(({ id }) => idOrName !== '' && id.startsWith(idOrName));
  const whole = state.containers.get(idOrName) ?? all.find(({ name }) => name === idOrName);
  if (whole === undefined && begun.length > 1)
    throw new Refusal(500, `Multiple IDs found with provided prefix: ${idOrName}`);
  const found = whole ?? begun[0];
  if (found === undefined) throw new Refusal(404, `No such container: ${idOrName}`);
  return found;
}

/** Puts output together to lines for the log, and hands it on as it comes to whoever reads along. */
function createOutput(state: State, container: Container) {
  const unfinished: Record<Stream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const note = (stream: Stream, text: Buffer): void => {
    for (let at = 0; at < text.length; at += longestMessage)
      container.log.push({ at: logTime(state), stream, text: text.subarray(at, at + longestMessage) });
  };
  return {
    async write(stream: Stream, bytes: Buffer): Promise<void> {
      if (container.isLogged) {
        let rest = Buffer.concat([unfinished[stream], bytes]);
        for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
          note(stream, rest.subarray(0, end + 1));
          rest = rest.subarray(end + 1);
        }
        unfinished[stream] = rest;
        changed(state);
      }
      for (const reader of container.attached) await reader(stream, bytes);
    },
    end(): void {
      for (const stream of ['stdout', 'stderr'] as const)
        if (unfinished[stream].length > 0) note(stream, unfinished[stream]);
    },
  };
}

/** Docker's health check: the first success counts at once, failures only after the start period. */
async function watchHealth(state: State, container: Container): Promise<void> {
  const { process, healthTest } = container;
  if (process === undefined || healthTest === undefined) return;
  let failures = 0;
  for (;;) {
    await sleep(healthTest.intervalMs);
    if (container.process !== process) return;
    const isWell = await passes(state, container, healthTest);
    if (container.process !== process) return;
    const isYoung =
      container.health === 'starting' && Date.now() - container.startedAt < healthTest.startPeriodMs;
    if (isWell) {
      failures = 0;
      if (container.health !== 'healthy') {
        container.health = 'healthy';
        changed(state);
      }
    } else if (!isYoung) {
      failures += 1;
      if (failures >= Math.max(1, healthTest.retries)) {
        container.health = 'unhealthy';
        changed(state);
      }
    }
  }
}

async function passes(
  state: State,
  container: Container,
  { argv, timeoutMs }: NonNullable<Container['healthTest']>,
): Promise<boolean> {
  const probe = startProcess(state, container, {
    argv,
    env: container.env,
    input: nothing(),
    write: async () => undefined,
    ask: (host, port) => ask(state, container, host, port),
  });
  const late = setTimeout(() => probe.kill(killed), timeoutMs);
  const exitCode = await probe.ended;
  clearTimeout(late);
  return exitCode === 0;
}
