/** The log of a service in the engine's frames. */
import { PassThrough, type Readable } from 'node:stream';
import type { Stream } from './programs/program.ts';
import { changed, rank, type LogEntry, type Service, type State, type Task } from './state.ts';

const headLength = 8;

export function frame(stream: Stream, body: Uint8Array): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt8(stream === 'stdout' ? 1 : 2, 0);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

export interface LogQuery {
  follow: boolean;
  /** Of each task. */
  tail: number | undefined;
  /** Nanoseconds since the epoch. */
  since: bigint;
}

export function serviceLog(state: State, service: Service, query: LogQuery): Readable {
  const output = new PassThrough();
  const sent = new Map<string, number>();
  const send = (): void => {
    for (const task of state.tasks.values())
      if (task.serviceId === service.id) sendNew(output, task, sent, query);
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

function sendNew(output: PassThrough, task: Task, sent: Map<string, number>, query: LogQuery): void {
  const { container } = task;
  if (container === undefined) return;
  const entries = container.log.filter(({ at }) => at >= query.since);
  const from = sent.get(task.id) ?? Math.max(0, entries.length - (query.tail ?? entries.length));
  for (const entry of entries.slice(from)) output.write(frame(entry.stream, messageOf(task, entry)));
  sent.set(task.id, entries.length);
}

function messageOf(task: Task, { at, text }: LogEntry): Buffer {
  const seconds = Number(at / 1_000_000_000n);
  const nanoseconds = String(at % 1_000_000_000n).padStart(9, '0');
  const time = `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${nanoseconds}Z`;
  const details = [
    `com.docker.swarm.node.id=${task.nodeId}`,
    `com.docker.swarm.service.id=${task.serviceId}`,
    `com.docker.swarm.task.id=${task.id}`,
  ].join(',');
  return Buffer.concat([Buffer.from(`${time} ${details} `), text]);
}

/** `<seconds>.<nanoseconds>` as nanoseconds. */
export function sinceOf(text: string | undefined): bigint {
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
