/** Alarms as records: derived from what is so, begun, ended, acknowledged. */
import type { AlarmKind } from './record.ts';
import { alarmKindNames, alarmKinds } from './record.ts';
import { AppError } from '../../domain/errors.ts';
import type { FactEvent, FactSubject, TellFact } from '../../domain/states/fact.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { unknownCursor } from '../../procedure/input/page.ts';
import type { AlarmRecord, AlarmStore } from './store.ts';

/** Something that is wrong at this moment. */
export interface Condition {
  kind: AlarmKind;
  organizationId: string;
  subject: FactSubject;
  sentence: string;
  projectId?: string | null;
  environmentId?: string | null;
  /** Of an alarm that members of the service see. */
  serviceId?: string | null;
}

/** Where conditions of some kinds are found. One that throws changes nothing: nobody knows. */
export interface AlarmSource {
  kinds: readonly AlarmKind[];
  /** Looks in a row that must find a condition before it is an alarm, so that a moment is none. */
  looks: number;
  find(): Promise<Condition[]>;
}

export type ShownAlarm = Omit<
  AlarmRecord,
  'organizationId' | 'kind' | 'subjectType' | 'subjectId' | 'subjectName'
> & {
  kind: AlarmKind;
  subject: FactSubject;
};

export interface Alarms {
  /** Those that the caller reaches, newest first; with `limit` so many at most, behind `after`. */
  all(organizationId: string, options: AlarmList): Promise<ShownAlarm[]>;
  acknowledge(alarmId: string, organizationId: string, userId: string): Promise<ShownAlarm>;
  /** Compares what is so with what was: begins and ends alarms, and tells of it. */
  look(): Promise<void>;
}

export interface AlarmList {
  ended: boolean;
  limit?: number | undefined;
  /** alarmId */
  after?: string | undefined;
  reaches(alarm: ShownAlarm): boolean;
}

export interface AlarmPorts {
  store: AlarmStore;
  sources: readonly AlarmSource[];
  clock: Clock;
  tell: TellFact;
  onFault(error: unknown): void;
}

const flappingMs = 10 * 60_000;

export function createAlarms(ports: AlarmPorts): Alarms {
  const { store, clock, sources, onFault } = ports;
  const seen = new Map<string, number>();
  return {
    all: (organizationId, list) => reached(store, organizationId, list),
    async acknowledge(alarmId, organizationId, userId) {
      const present = await store.find({ alarmId, organizationId });
      if (!present)
        throw new AppError('NOT_FOUND', 'There is no such alarm. Ended ones are kept for 30 days.');
      if (present.acknowledgedAt !== null) return shown(present);
      const change = { acknowledgedAt: isoTime(clock), acknowledgedBy: userId };
      await store.update({ alarmId, organizationId }, change);
      return shown({ ...present, ...change });
    },
    async look() {
      const open = await store.open();
      for (const source of sources)
        try {
          await compare(ports, source, { open: ofKinds(open, source.kinds), seen });
        } catch (error) {
          onFault(error);
        }
    },
  };
}

const rowsAtOnce = 500;

async function reached(
  store: AlarmStore,
  organizationId: string,
  { ended, limit = Infinity, after: cursor, reaches }: AlarmList,
): Promise<ShownAlarm[]> {
  const found: ShownAlarm[] = [];
  let after = cursor === undefined ? undefined : await store.find({ organizationId, alarmId: cursor });
  if (cursor !== undefined && after === undefined) throw unknownCursor();
  for (;;) {
    const rows = await store.page(organizationId, { ended, after, limit: Math.min(limit, rowsAtOnce) });
    found.push(...rows.map(shown).filter(reaches));
    after = rows.at(-1);
    if (found.length >= limit || rows.length < Math.min(limit, rowsAtOnce)) return found.slice(0, limit);
  }
}

interface Former {
  open: Map<string, AlarmRecord>;
  /** How often in a row a condition was found that is no alarm yet. */
  seen: Map<string, number>;
}

async function compare(ports: AlarmPorts, source: AlarmSource, { open, seen }: Former): Promise<void> {
  const { store } = ports;
  const found = new Map((await source.find()).map((condition) => [keyOf(condition), condition]));
  for (const key of seen.keys())
    if (source.kinds.some((kind) => key.startsWith(`${kind} `)) && !found.has(key)) seen.delete(key);
  for (const [key, condition] of found) {
    const present = open.get(key);
    const count = (seen.get(key) ?? 0) + 1;
    if (present === undefined && count < source.looks) seen.set(key, count);
    else if (present === undefined) await store.transaction(() => begin(ports, condition));
    else if (present.sentence !== condition.sentence)
      await store.update({ alarmId: present.alarmId }, { sentence: condition.sentence });
    if (present !== undefined || count >= source.looks) seen.delete(key);
  }
  for (const [key, alarm] of open) if (!found.has(key)) await store.transaction(() => end(ports, alarm));
}

/** What ended a moment ago goes on: something that comes and goes is one alarm. */
async function begin({ store, clock, tell }: AlarmPorts, condition: Condition): Promise<void> {
  const { kind, organizationId, subject, sentence } = condition;
  const former = await store.endedSince(
    { organizationId, kind, subjectType: subject.type, subjectId: subject.id },
    new Date(clock.now() - flappingMs).toISOString(),
  );
  if (former === undefined) await insert(store, clock, condition);
  else await store.update({ alarmId: former.alarmId }, { endedAt: null, sentence, times: former.times + 1 });
  await tellIf(tell, alarmKinds[kind].begin, { organizationId, subject, sentence });
}

async function insert(store: AlarmStore, clock: Clock, condition: Condition): Promise<void> {
  const { kind, organizationId, subject, sentence } = condition;
  await store.insert({
    alarmId: randomId(),
    organizationId,
    kind,
    subjectType: subject.type,
    subjectId: subject.id,
    subjectName: subject.name,
    sentence,
    projectId: condition.projectId ?? null,
    environmentId: condition.environmentId ?? null,
    serviceId: condition.serviceId ?? null,
    begunAt: isoTime(clock),
    endedAt: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    times: 1,
  });
}

async function end({ store, clock, tell }: AlarmPorts, alarm: AlarmRecord): Promise<void> {
  const changed = await store.update({ alarmId: alarm.alarmId, endedAt: null }, { endedAt: isoTime(clock) });
  if (changed !== 1) return;
  const { kind, subject } = shown(alarm);
  await tellIf(tell, alarmKinds[kind].end, {
    organizationId: alarm.organizationId,
    subject,
    sentence: `${subject.name} has recovered after ${minutesOf(clock.now() - Date.parse(alarm.begunAt))}.`,
  });
}

async function tellIf(
  tell: TellFact,
  event: FactEvent | null,
  fact: { organizationId: string; subject: FactSubject; sentence: string },
): Promise<void> {
  if (event !== null) await tell({ event, ...fact });
}

function minutesOf(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 1 ? 'less than a minute' : `${minutes} minute${minutes === 1 ? '' : 's'}`;
}

const keyOf = ({ kind, organizationId, subject }: Condition): string =>
  `${kind} ${organizationId} ${subject.type}:${subject.id}`;

function ofKinds(open: readonly AlarmRecord[], kinds: readonly AlarmKind[]): Map<string, AlarmRecord> {
  return new Map(
    open
      .filter(({ kind }) => kinds.some((one) => one === kind))
      .map((alarm) => [keyOf({ ...shown(alarm), organizationId: alarm.organizationId }), alarm]),
  );
}

function shown({ organizationId: _own, ...alarm }: AlarmRecord): ShownAlarm {
  const { kind: stored, subjectType, subjectId, subjectName, ...rest } = alarm;
  const kind = alarmKindNames.find((one) => one === stored);
  if (kind === undefined) throw new AppError('INTERNAL_SERVER_ERROR', `This Berth has no alarm ${stored}.`);
  return { ...rest, kind, subject: { type: subjectType, id: subjectId, name: subjectName } };
}
