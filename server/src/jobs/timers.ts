/**
 * What comes back by the clock: housekeeping, backups whose time has come, pull requests that ended unseen.
 */
import { sentenceOf } from '../domain/errors.ts';
import { keptMs } from '../modules/event/event.ts';
import type { EndedOutputs } from '../ports/ended-output.ts';
import type { SettingsService } from '../modules/settings/settings.ts';
import type { Clock } from '../ports/clock.ts';

const housekeepingMs = 3_600_000;
const scheduleMs = 5000;
const eventsMs = 60_000;
const alarmMs = 10_000;
/** The log of a database is stored at least each minute. */
const recoveryMs = 20_000;
const dispatchMs = 2000;
const drainMs = 1000;
const dayMs = 24 * 3_600_000;
const keptJobsMs = 7 * dayMs;
const keptNotificationsMs = 7 * dayMs;
const keptInvitationsMs = 30 * dayMs;
/** Hosts send a delivery again within hours. */
const keptDeliveriesMs = 7 * dayMs;
const keptAlarmsMs = 30 * dayMs;
/** Of an organization, ended ones. */
const keptAlarms = 1000;
const keptAuditMs = 400 * dayMs;

/** What grows by itself, and how it is cut back. */
export interface PrunedStores {
  /** Each of what is older than this: an ISO 8601 time, or ms. */
  jobs: { prune(before: string): Promise<unknown> };
  users: { pruneSessions(now: number): Promise<unknown> };
  invitations: { prune(before: number): Promise<unknown> };
  webhooks: { prune(before: string): Promise<unknown> };
  alarms: { prune(before: string, kept: number): Promise<unknown> };
  notifications: { prune(before: number): Promise<unknown> };
  audit: { prune(before: string): Promise<unknown> };
  events: { prune(before: number): Promise<void> };
  serviceReads: { everywhere(): Promise<{ organizationId: string; serviceId: string }[]> };
}

export interface Timers {
  /** No further turn; resolves when the present ones are over. */
  stop(): Promise<void>;
}

export interface TimerParts {
  stores: PrunedStores;
  clock: Clock;
  log: { fault(error: unknown, where: string): unknown };
  schedules: { tick(): Promise<void> };
  recovery: { tick(): Promise<void> };
  previews: { watch(): Promise<void>; everyMs: number };
  notifying: { tick(): Promise<void>; stop(): Promise<void> };
  shipping: { tick(): Promise<void>; stop(): Promise<void> };
  renewing: { tick(): Promise<void>; stop(): Promise<void> };
  dnsRecords: { tick(): Promise<void> };
  scheduling: { tick(): Promise<void> };
  alarms: { look(): Promise<void> };
  monitoring: { look(): Promise<void> };
  cleanTurn(): Promise<void>;
  finishDeletions(): Promise<void>;
  endBranches(): Promise<void>;
  endLeftBehind(): Promise<void>;
  templateCatalogues: { refreshOld(signal: AbortSignal): Promise<void> };
  disk: { turn(): Promise<void> };
  diskWriters: { look(): Promise<void> };
  adapters: { endedOutputs: Pick<EndedOutputs, 'prune'> };
  settings: Pick<SettingsService, 'get'>;
}

type ToldAs = (where: string) => (error: unknown) => void;

function rareTimers(
  {
    stores,
    clock,
    adapters,
    settings,
    templateCatalogues,
  }: Pick<TimerParts, 'stores' | 'clock' | 'adapters' | 'settings' | 'templateCatalogues'>,
  toldAs: ToldAs,
  stopping: AbortSignal,
) {
  return [
    every(housekeepingMs, () => tidy(stores, clock), toldAs('housekeeping')),
    every(
      housekeepingMs,
      () => forgetEnded(stores, clock, { outputs: adapters.endedOutputs, settings }),
      toldAs('old output of what ended'),
    ),
    every(housekeepingMs, () => templateCatalogues.refreshOld(stopping), toldAs('catalogues of templates')),
  ];
}

export function startTimers({
  stores,
  clock,
  log,
  schedules,
  recovery,
  previews,
  notifying,
  shipping,
  renewing,
  dnsRecords,
  scheduling,
  alarms,
  monitoring,
  cleanTurn,
  finishDeletions,
  endBranches,
  endLeftBehind,
  templateCatalogues,
  disk,
  diskWriters,
  adapters,
  settings,
}: TimerParts): Timers {
  const toldAs: ToldAs = (where) => (error) => void log.fault(error, where);
  const stopping = new AbortController();
  const timers = [
    ...rareTimers({ stores, clock, adapters, settings, templateCatalogues }, toldAs, stopping.signal),
    every(eventsMs, () => stores.events.prune(clock.now() - keptMs), toldAs('old events')),
    every(scheduleMs, schedules.tick, toldAs('schedules of backups')),
    every(recoveryMs, recovery.tick, toldAs('recovery of databases')),
    every(scheduleMs, scheduling.tick, toldAs('schedules of services')),
    every(eventsMs, cleanTurn, toldAs('clean-up')),
    every(eventsMs, finishDeletions, toldAs('deletions that go on')),
    every(eventsMs, endBranches, toldAs('branches of databases')),
    every(eventsMs, endLeftBehind, toldAs('what previews left behind')),
    every(eventsMs, disk.turn, toldAs('disk of organizations')),
    every(alarmMs, diskWriters.look, toldAs('services that fill a disk')),
    every(alarmMs, alarms.look, toldAs('alarms')),
    every(alarmMs, monitoring.look, toldAs('monitoring of servers')),
    every(dispatchMs, notifying.tick, toldAs('notifications')),
    every(eventsMs, renewing.tick, toldAs('certificates by DNS')),
    every(eventsMs, dnsRecords.tick, toldAs('records at DNS providers')),
    every(drainMs, shipping.tick, toldAs('log drains')),
    every(previews.everyMs, previews.watch, toldAs('pull requests of previews')),
  ];
  return {
    async stop() {
      stopping.abort(new Error('Berth stops.'));
      await Promise.all([
        ...timers.map((timer) => timer.stop()),
        notifying.stop(),
        shipping.stop(),
        renewing.stop(),
      ]);
    },
  };
}

/** One turn after another, never two at once. */
function every(ms: number, turn: () => Promise<void>, onFault: (error: unknown) => void): Timers {
  let running = Promise.resolve();
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    running = turn()
      .catch(onFault)
      .finally(() => {
        isBusy = false;
      });
  }, ms);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Output of what ended, when it is too old or its service is gone. */
async function forgetEnded(
  stores: PrunedStores,
  clock: Clock,
  { outputs, settings }: { outputs: Pick<EndedOutputs, 'prune'>; settings: Pick<SettingsService, 'get'> },
): Promise<void> {
  const there = await stores.serviceReads.everywhere();
  const keys = new Set(there.map(({ organizationId, serviceId }) => `${organizationId}/${serviceId}`));
  const { endedOutputDays } = await settings.get();
  await outputs.prune(clock.now() - endedOutputDays * dayMs, ({ organizationId, serviceId }) =>
    keys.has(`${organizationId}/${serviceId}`),
  );
}

/**
 * Finished jobs, ended sessions and old invitations are of no use to anybody; the audit log reaches back
 * somewhat more than a year. A table that cannot be pruned keeps no other from it.
 */
async function tidy(stores: PrunedStores, clock: Clock): Promise<void> {
  const before = (keptMs: number): number => clock.now() - keptMs;
  const isoBefore = (keptMs: number): string => new Date(before(keptMs)).toISOString();
  const prunes: readonly (() => Promise<unknown>)[] = [
    () => stores.jobs.prune(isoBefore(keptJobsMs)),
    () => stores.users.pruneSessions(clock.now()),
    () => stores.invitations.prune(before(keptInvitationsMs)),
    () => stores.webhooks.prune(isoBefore(keptDeliveriesMs)),
    () => stores.alarms.prune(isoBefore(keptAlarmsMs), keptAlarms),
    () => stores.notifications.prune(before(keptNotificationsMs)),
    () => stores.audit.prune(isoBefore(keptAuditMs)),
  ];
  const faults: unknown[] = [];
  for (const prune of prunes) await prune().catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw new AggregateError(faults, faults.map(sentenceOf).join(' '));
}
