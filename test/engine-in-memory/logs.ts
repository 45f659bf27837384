/** The log of a service in the engine's frames. */
import { PassThrough, type Readable } from 'node:stream';
import type { Stream } from './programs/program.ts';
import {
  changed,
  rank,
  type Container,
  type LogEntry,
  type Service,
  type State,
  type Task,
} from './state.ts';

const headLength = 8;

export function frame(stream: Stream, body: Uint8Array): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt8(stream === 'stdout' ? 1 : 2, 0);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** As the engine writes a message: what a terminal wrote has no frame. */
const written = (entry: LogEntry, message: Buffer, hasTerminal: boolean): Buffer =>
  hasTerminal ? message : frame(entry.stream, message);

export interface LogQuery {
  follow: boolean;
  /** Of each task. */
  tail: number | undefined;
  /** Nanoseconds since the epoch. */
  since: bigint;
}

export function serviceLog(state: State, service: Service, query: LogQuery): Readable {
  return taskLogs(state, (task) => task.serviceId === service.id, query);
}

/** Of the tasks that pass the test. */
export function taskLogs(state: State, isOne: (task: Task) => boolean, query: LogQuery): Readable {
  const output = new PassThrough();
  const sent = new Map<string, number>();
  const send = (): void => {
    for (const task of state.tasks.values()) if (isOne(task)) sendNew(state, { output, task, sent, query });
  };
  send();
  if (!query.follow) {
    output.end();
    return output;
  }
  // What a task that is there already has said counts by `tail`; a later one is sent whole.
  state.watchers.add(send);
  output.once('close', () => state.watchers.delete(send));
  return output;
}

interface Sending {
  output: PassThrough;
  task: Task;
  sent: Map<string, number>;
  query: LogQuery;
}

function hasTerminal(state: State, { serviceId }: Task): boolean {
  return state.services.get(serviceId)?.spec.TaskTemplate.ContainerSpec.TTY === true;
}

function sendNew(state: State, { output, task, sent, query }: Sending): void {
  const { container } = task;
  if (container === undefined) return;
  const entries = container.log.filter(({ at }) => at >= query.since);
  const from = sent.get(task.id) ?? Math.max(0, entries.length - (query.tail ?? entries.length));
  for (const entry of entries.slice(from))
    output.write(written(entry, messageOf(task, entry), hasTerminal(state, task)));
  sent.set(task.id, entries.length);
}

/** The output of one container; a follower reads until it ends. */
export function containerLog(
  state: State,
  container: Container,
  { tail, since, follow }: LogQuery,
): Readable {
  const output = new PassThrough();
  const entriesNow = (): LogEntry[] => container.log.filter(({ at }) => at >= since);
  const there = entriesNow().length;
  let sent = Math.max(0, there - (tail ?? there));
  const send = (): void => {
    const entries = entriesNow();
    for (const entry of entries.slice(sent))
      output.write(frame(entry.stream, Buffer.concat([Buffer.from(`${timeOf(entry)}  `), entry.text])));
    sent = entries.length;
    if (!follow || container.state !== 'running') output.end();
  };
  send();
  if (output.writableEnded) return output;
  const sendMore = (): void => {
    if (!output.writableEnded) send();
  };
  state.watchers.add(sendMore);
  output.once('close', () => state.watchers.delete(sendMore));
  return output;
}

function messageOf(task: Task, entry: LogEntry): Buffer {
  const details = [
    `com.docker.swarm.node.id=${task.nodeId}`,
    `com.docker.swarm.service.id=${task.serviceId}`,
    `com.docker.swarm.task.id=${task.id}`,
  ].join(',');
  return Buffer.concat([Buffer.from(`${timeOf(entry)} ${details} `), entry.text]);
}

function timeOf({ at }: LogEntry): string {
  const seconds = Number(at / 1_000_000_000n);
  const nanoseconds = String(at % 1_000_000_000n).padStart(9, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${nanoseconds}Z`;
}

export function logQueryOf(query: Readonly<Record<string, string | undefined>>): LogQuery {
  return {
    follow: query['follow'] === 'true',
    tail: query['tail'] === undefined ? undefined : Number(query['tail']),
    since: sinceOf(query['since']),
  };
}

/** `<seconds>.<nanoseconds>` as nanoseconds. */
function sinceOf(text: string | undefined): bigint {
  if (text === undefined) return 0n;
  const [seconds = '0', fraction = ''] = text.split('.');
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9) || '0');
}

/** Ended tasks of a slot that the manager keeps, with their containers, for whoever asks what happened. */
const keptPerSlot = 5;

export function forgetOldTasks(state: State, service: Service, slot: number): void {
  const ofSlot = [...state.tasks.values()]
    .filter((task) => task.serviceId === service.id && task.slot === slot)
    .toSorted((a, b) => b.order - a.order);
  for (const task of ofSlot.slice(keptPerSlot)) {
    if (rank(task.state) <= rank('running')) continue;
    state.tasks.delete(task.id);
    if (task.container !== undefined) state.containers.delete(task.container.id);
  }
  changed(state);
}
