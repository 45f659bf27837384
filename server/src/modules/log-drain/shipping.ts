/** Sends what services write to where their organizations want it, from now on and as long as Berth runs. */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { createRedactor } from '../../domain/secrets/redactor.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { createDrainBuffer, type DrainBuffer } from './buffer.ts';
import type { FollowedLine, FollowServices } from './following.ts';
import type { DrainedLine } from './forms.ts';
import { pauseAfter } from './patience.ts';
import type { SendLines } from './sending.ts';
import type { LogDrainRecord, LogDrainStore } from './store.ts';

export interface ShippingPorts {
  store: LogDrainStore;
  send: SendLines;
  follow: FollowServices;
  clock: Clock;
  onFault(error: unknown): void;
}

export interface Shipping {
  /** Looks which drains there are, follows what they want, and begins to send what waits. */
  tick(): Promise<void>;
  /** The same; resolves when each drain has nothing more or refused. */
  flush(): Promise<void>;
  test(drain: LogDrainRecord): Promise<void>;
  stop(): Promise<void>;
}

interface Active {
  record: LogDrainRecord;
  buffer: DrainBuffer;
  busy: Promise<void> | undefined;
  failures: number;
  nextAt: number;
  leasedAt: number;
  /** Dropped, and not yet told at the address. */
  untold: number;
}

const errorLimit = 1000;
/** Longer than any attempt takes; a process that died holds a drain up for so long. */
const leaseMs = 60_000;
/** Between two looks at what runs. */
const lookMs = 2000;

export function createShipping(ports: ShippingPorts): Shipping {
  const { store, clock, follow, onFault } = ports;
  const holder = randomId();
  const active = new Map<string, Active>();
  let isStopped = false;
  let followed = { ids: '', at: 0 };

  function take(line: FollowedLine): void {
    for (const { record, buffer } of active.values()) if (isWanted(record, line)) buffer.offer(line.line);
  }
  /** Of several processes on one database one at a time has a drain. */
  async function isOurs(record: LogDrainRecord, now: number): Promise<boolean> {
    const { logDrainId } = record;
    const present = active.get(logDrainId);
    if (present && now - present.leasedAt < leaseMs / 2) {
      present.record = record;
      return true;
    }
    if (!(await store.lease(logDrainId, { holder, now, until: now + leaseMs }))) return false;
    if (present) Object.assign(present, { record, leasedAt: now });
    else active.set(logDrainId, newActive(record, now));
    return true;
  }
  async function look(): Promise<void> {
    const now = clock.now();
    const held: string[] = [];
    for (const record of await store.list({ enabled: true }))
      if (await isOurs(record, now)) held.push(record.logDrainId);
    for (const logDrainId of active.keys()) if (!held.includes(logDrainId)) active.delete(logDrainId);
    if (held.join() === followed.ids && (held.length === 0 || now - followed.at < lookMs)) return;
    followed = { ids: held.join(), at: now };
    const wanted = [...active.values()].map(({ record }) => record);
    await follow.only((service) => wanted.some((record) => isWanted(record, service)), take);
  }
  async function tick(): Promise<void> {
    if (isStopped) return;
    await look();
    for (const one of active.values()) {
      if (one.busy || one.nextAt > clock.now()) continue;
      one.busy = sendAll(ports, one, () => isStopped)
        .catch(onFault)
        .finally(() => {
          one.busy = undefined;
        });
    }
  }
  return {
    tick,
    async flush() {
      await tick();
      await settled(active.values());
    },
    test: (record) => attempt(ports, record, [ownLine(record, clock, 'Berth reaches this address.')]),
    async stop() {
      isStopped = true;
      await follow.stop();
      await settled(active.values());
      for (const logDrainId of active.keys())
        await store.lease(logDrainId, { holder, now: clock.now(), until: 0 });
    },
  };
}

const settled = async (all: Iterable<Active>): Promise<void> =>
  void (await Promise.all([...all].flatMap(({ busy }) => busy ?? [])));

const newActive = (record: LogDrainRecord, leasedAt: number): Active => ({
  record,
  buffer: createDrainBuffer(),
  busy: undefined,
  failures: 0,
  nextAt: 0,
  leasedAt,
  untold: 0,
});

const isWanted = (
  record: LogDrainRecord,
  { organizationId, projectId }: { organizationId: string; projectId: string },
): boolean =>
  record.organizationId === organizationId && (record.projectId === null || record.projectId === projectId);

async function sendAll(ports: ShippingPorts, one: Active, isOver: () => boolean): Promise<void> {
  const { store, clock } = ports;
  while (!isOver()) {
    const { buffer, record } = one;
    const lines = buffer.batch();
    const dropped = buffer.dropped();
    if (dropped > 0) await store.count(record.logDrainId, { sent: 0, dropped });
    one.untold += dropped;
    if (lines.length === 0) return;
    const lost = one.untold;
    const words = `${lost} lines were dropped: more came than this address took.`;
    try {
      await attempt(ports, record, lost === 0 ? lines : [ownLine(record, clock, words), ...lines]);
    } catch {
      // The record says why. The same lines are sent again.
      one.nextAt = clock.now() + pauseAfter(one.failures);
      one.failures += 1;
      return;
    }
    one.failures = 0;
    one.untold -= lost;
    buffer.taken(lines.length);
    await store.count(record.logDrainId, { sent: lines.length, dropped: 0 });
  }
}

/** Writes down how it went; throws when it was not taken. */
async function attempt(
  { store, send, clock, onFault }: ShippingPorts,
  record: LogDrainRecord,
  lines: readonly DrainedLine[],
): Promise<void> {
  const { logDrainId, password } = record;
  try {
    await send(record, lines);
  } catch (error) {
    if (!(error instanceof AppError)) onFault(error);
    const words = error instanceof AppError ? sentenceOf(error) : 'Something went wrong inside Berth.';
    const lastError = createRedactor(password === null ? [] : [password])(words).slice(0, errorLimit);
    await store.update({ logDrainId }, { lastError, lastErrorAt: isoTime(clock) });
    throw error;
  }
  await store.update({ logDrainId }, { lastSentAt: isoTime(clock), lastError: null, lastErrorAt: null });
}

const ownLine = ({ name }: LogDrainRecord, clock: Clock, words: string): DrainedLine => ({
  at: isoTime(clock),
  stream: 'stdout',
  task: '',
  node: '',
  text: `${words} (log drain ${name})`,
  organization: '',
  project: '',
  environment: '',
  service: 'berth',
});
