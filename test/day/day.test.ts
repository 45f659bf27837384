/**
 * A day of a busy installation, in virtual time: what grows, and what of it is told. The ordinary run has all
 * that happens in three hours, and leaves out what the heap grows by. Each thing that is
 * told happens on the machines; nobody puts a fact into Berth.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../http/interface-client.ts';
import { factEventNames, type FactEvent } from '../../server/src/domain/states/fact.ts';
import type { ShownEvent } from '../../server/src/modules/event/record.ts';
import { createSettingsStore } from '../../server/src/modules/settings/store.ts';
import type { Actor } from '../../server/src/procedure/context.ts';
import { killContainer } from '../engine-in-memory/containers.ts';
import { registry, webImage } from '../kill-matrix/images.ts';
import { serverRecord } from '../kill-matrix/neighbours.ts';
import { isWhole } from '../run/mode.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { createBerthByTheClock, farServer, type BerthByTheClock } from './berth-by-the-clock.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Hours of the day, and the minutes at which something happens besides what happens all the time. */
const { hours, fullAt, awayAt, goneAt, downAt, standsStillAt } = isWhole()
  ? { hours: 24, fullAt: 120, awayAt: 180, goneAt: 240, downAt: 360, standsStillAt: 600 }
  : { hours: 3, fullAt: 20, awayAt: 40, goneAt: 55, downAt: 65, standsStillAt: 130 };
/** Of eight hours: what the test itself keeps, and code that is compiled. */
const heapGrowth = 4e6;
const limitMs = 20 * minuteMs;
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let uninstall: () => void;
let folder: string;
let berth: BerthByTheClock;

beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(inMemory, 'berth-day-'));
  berth = await createBerthByTheClock(folder);
});
afterAll(async () => {
  await berth.close();
  uninstall();
  rmSync(folder, { recursive: true });
});

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

function heap(): number {
  if (typeof collectGarbage === 'function') collectGarbage();
  return process.memoryUsage().heapUsed;
}

interface Hour {
  hour: number;
  heap: number;
  rows: Record<string, number>;
  files: { count: number; bytes: number };
  logs: number;
  disk: number;
  containers: number;
  images: number;
}

async function lookAt(hour: number): Promise<Hour> {
  const { own, far } = berth;
  const on = (what: (state: typeof own.memory.state) => number): number =>
    what(own.memory.state) + what(far.memory.state);
  return {
    hour,
    heap: heap(),
    rows: await berth.rows(),
    files: berth.files(),
    logs: own.logs.size,
    disk: own.disk.size,
    containers: on(({ containers }) => containers.size),
    images: on(({ images }) => images.size),
  };
}

const owner = () => berth.people.owner;
const call = (path: string, input: object = {}) => berth.call(owner(), path, input);
const perHour = { deployments: 11, runs: 13, changes: 75 } as const;
/** The setting, and what a schedule keeps of its runs. */
const [keptDeployments, keptRuns] = [100, 100];

async function application(name: string, environmentId: string, change: object = {}): Promise<string> {
  const made = await call('application.create', { name, appName: name, environmentId, ...change });
  const applicationId = textOf(made, 'applicationId');
  await call('application.saveContainerProvider', { applicationId, containerImage: webImage });
  return applicationId;
}

const gigabyte = 2 ** 30;

const happenings: Readonly<Record<number, (environmentId: string) => Promise<unknown> | void>> = {
  [fullAt]: () => void (berth.own.freeBytes = 3 * gigabyte),
  [fullAt + 5]: () => void (berth.own.freeBytes = 1000 * gigabyte),
  [awayAt]: () => berth.far.memory.setAway(true),
  [awayAt + 10]: () => berth.far.memory.setAway(false),
  async [goneAt](environmentId) {
    const applicationId = await application('gone', environmentId);
    await call('application.saveContainerProvider', { applicationId, containerImage: `${registry}/gone:1` });
    await call('application.deploy', { applicationId });
  },
  [downAt]: () => void (berth.receiver.isDown = true),
  [downAt + 60]: () => void (berth.receiver.isDown = false),
  // The machine stands still for half an hour, and has another Berth then.
  async [standsStillAt]() {
    berth.kill();
    await createSettingsStore(berth.database).put('startedVersion', '0.0.1');
    await sleep(30 * minuteMs);
    await berth.start();
    read();
  },
};

/** What is done every minute of the day, whatever else happens. */
async function everyMinute(minute: number, [shop = '', mail = '']: readonly string[]): Promise<void> {
  await call('application.update', { applicationId: shop, description: `minute ${minute}` });
  if (minute % 7 === 0) await call('application.deploy', { applicationId: shop });
  if (minute % 60 === 13) await call('application.redeploy', { applicationId: mail });
  if (minute % 120 === 31) await crash('mail');
}

/** Ends the tasks of a service as soon as they run, until an observer calls it a crash loop. */
async function crash(name: string): Promise<void> {
  for (let count = 0; count < 12; count += 1) {
    for (const container of berth.own.memory.state.containers.values())
      if (JSON.stringify(container).includes(`"${name}`)) killContainer(container);
    await sleep(5000);
  }
}

/** What a reader of the events has seen. */
const seen = { count: 0, last: undefined as string | undefined, isInOrder: true, resets: 0 };

function note({ id, type }: ShownEvent): void {
  seen.isInOrder &&= type === 'reset' || Number(id) > Number(seen.last ?? -1);
  if (type === 'event') seen.count += 1;
  if (type === 'reset') seen.resets += 1;
  seen.last = id;
}

/** Follows the events for as long as Berth runs. */
function read(): void {
  const { userId, organizationId } = owner();
  void berth.run(async ({ events, stores }) => {
    const actorNow = async (): Promise<Actor> => {
      const standing = await stores.users.findPlace(userId, organizationId);
      if (!standing) throw new Error('The owner is gone.');
      const identity = {
        userId,
        organizationId,
        apiKeyId: undefined,
        sessionId: 's',
        permissions: undefined,
      };
      return { ...identity, ...standing };
    };
    const { signal } = new AbortController();
    const lastEventId = seen.last;
    for await (const { data } of events.stream({ lastEventId, follow: true, signal, actorNow })) note(data);
  });
}

async function begin(): Promise<{ environmentId: string; apps: string[] }> {
  await berth.start();
  await berth.run(({ stores }) => stores.servers.insert(serverRecord(owner().organizationId, farServer)));
  read();
  const { environment } = Object(await call('project.create', { name: 'Shop' }));
  const environmentId = textOf(environment, 'environmentId');
  await call('settings.update', {
    keptDeployments,
    cleanupSchedule: '0 * * * *',
  });
  await call('notification.create', {
    name: 'ops',
    channel: 'webhook',
    events: factEventNames,
    webhook: { url: 'https://hooks.example.com/ops', secret },
  });
  const apps = [await application('shop', environmentId), await application('mail', environmentId)];
  for (const applicationId of apps) await call('application.deploy', { applicationId });
  await sleep(2 * minuteMs);
  for (const [name, cron, program] of schedules)
    await call('schedule.create', { applicationId: apps[0], name, cron, command: [program] });
  return { environmentId, apps };
}

const schedules = [
  ['well', '*/5 * * * *', 'true'],
  ['badly', '17 * * * *', 'false'],
] as const;

async function day(): Promise<Hour[]> {
  const { environmentId, apps } = await begin();
  const looks: Hour[] = [];
  const began = Date.now();
  for (let minute = 0; minute < hours * 60; minute = Math.floor((Date.now() - began) / minuteMs)) {
    await happenings[minute]?.(environmentId);
    await everyMinute(minute, apps);
    const hour = Math.floor((Date.now() - began) / hourMs);
    if (hour > (looks.at(-1)?.hour ?? 0)) looks.push(await lookAt(hour));
    const left = began + (minute + 1) * minuteMs - Date.now();
    if (left > 0) await sleep(left);
  }
  looks.push(await lookAt(hours));
  return looks;
}

/** Each hour as a line. */
function tell(looks: readonly Hour[]): void {
  console.log('hour | heap MB | files | MB | containers | images | logs | rows');
  for (const { hour, heap: bytes, files, containers, images, logs, rows } of looks) {
    const growing = Object.entries(rows).filter(([, count]) => count > 10);
    console.log(
      [
        hour,
        (bytes / 1e6).toFixed(1),
        files.count,
        (files.bytes / 1e6).toFixed(1),
        containers,
        images,
        logs,
        growing.map(([table, count]) => `${table} ${count}`).join(', '),
      ].join(' | '),
    );
  }
}

function expectWithinLimits({ hour, rows, logs, disk, containers, images, files }: Hour): void {
  const most: Record<string, number> = {
    // Fifteen minutes of them.
    event: 80,
    // Since the last clean-up one hour has passed at most; the other application has one each hour.
    deployment: keptDeployments + perHour.deployments + hour + 10,
    schedule_run: schedules.length * keptRuns,
    // A thousand of an organization, for 30 days.
    alarm: hour + 10,
    // Seven days.
    job: (perHour.deployments + perHour.runs) * (hour + 1) + 10,
    notification_delivery: (perHour.deployments + 3) * (hour + 1) + 10,
    // 400 days: one for each change.
    audit: perHour.changes * (hour + 1) + 40,
  };
  for (const [table, count] of Object.entries(rows))
    expect({ table, hour, count: Math.min(count, most[table] ?? 10) }).toEqual({ table, hour, count });
  expect(logs).toBeLessThanOrEqual((rows['deployment'] ?? 0) + (rows['schedule_run'] ?? 0));
  expect([disk, containers <= 16, images <= 8]).toEqual([0, true, true]);
  expect(files.bytes).toBeLessThan(20e6);
}

const told: readonly FactEvent[] = [
  'deploymentDone',
  'deploymentFailed',
  'serviceDown',
  'serviceUp',
  'serverUnreachable',
  'serverBack',
  'diskNearlyFull',
  'scheduleMissed',
  'scheduleFailed',
  'installationUpgraded',
];

it(
  'a busy day grows nothing beyond its limits, and tells what happens once and in order',
  async () => {
    const looks = await day();
    tell(looks);
    for (const look of looks) expectWithinLimits(look);
    const heaps = looks.map((look) => look.heap);
    // Berth that is there from the eleventh hour on: what was loaded and compiled for the first time is over.
    const [early, late] = [heaps.slice(12, 16), heaps.slice(-4)];
    expect(isWhole() ? Math.max(...late) - Math.max(...early) : 0).toBeLessThan(heapGrowth);
    const { taken, refused } = berth.receiver;
    expect(new Set(taken.map(({ event }) => event))).toEqual(new Set([...told, 'summary']));
    expect(refused).toBeGreaterThan(3);
    const stored = await berth.run(({ stores }) =>
      stores.notifications.deliveries.list({ state: 'sent' }, { by: ['sequence'], direction: 'asc' }),
    );
    expect(taken.map(({ id }) => id)).toEqual(stored.map(({ notice }) => notice.id));
    // Every one of them, through the half hour without Berth.
    expect(seen).toMatchObject({ isInOrder: true, resets: 0, count: Number(seen.last) });
    expect(seen.count).toBeGreaterThan(hours * 100);
    expect(await berth.run(async ({ faults }) => faults)).toEqual([]);
  },
  limitMs,
);
