/**
 * Measures a machine and its containers again and again: within Berth on its own machine, within the agent on
 * servers.
 */
import { nextTime } from '../../domain/time/cron.ts';
import { pointsOf, createThresholds, type Passing } from '../../domain/resources/metrics.ts';
import type { Collector, CollectorSettings } from '../../ports/metrics.ts';
import { createContainerSampler, type ServiceSamples } from './containers.ts';
import { createHistory, type History } from './history.ts';
import { createMachineSampler, type MachinePlaces } from './machine.ts';

export interface CollectorOptions extends MachinePlaces {
  settings: CollectorSettings;
  /** Unix socket of the engine's API. */
  engineSocket: string;
  /** Folder for what is kept. */
  folder: string;
  onPassing(passing: Omit<Passing, 'passing'>): void;
  /** A turn failed; the next one comes nevertheless. */
  onFault(error: unknown): void;
}

export interface RunningCollector extends Collector {
  start(): void;
  /** Resolves when the present turn is over. */
  stop(): Promise<void>;
}

export function createCollector(options: CollectorOptions): RunningCollector {
  const { settings, engineSocket, folder, onPassing, onFault } = options;
  const history = createHistory(folder, settings);
  const sampleMachine = createMachineSampler(options);
  const sampleContainers = createContainerSampler(engineSocket, settings);
  const passed = createThresholds(settings.thresholds);
  let services: ServiceSamples = new Map();
  const turns = [
    createTurn(settings.containersRefreshMs, onFault, async (now) => {
      services = await sampleContainers(now);
    }),
    createTurn(settings.refreshMs, onFault, async (now) => {
      const machine = await sampleMachine(now);
      // The first has nothing to be compared with.
      if (turns[1]?.isFirst() === true) return;
      const seen = services;
      services = new Map();
      await history.add({ machine, services: seen });
      passed(machine).forEach(onPassing);
    }),
    createTurn(60_000, onFault, createCleaning(settings.cleanUpAt, history)),
  ];
  return {
    start: () => turns.forEach((turn) => turn.start()),
    async stop() {
      await Promise.all(turns.map((turn) => turn.stop()));
      await history.flush();
    },
    machine: async ({ since, points }) =>
      pointsOf(await history.machine(since), { since, until: Date.now(), points }),
    service: async (key, { since, points }) =>
      pointsOf(await history.service(key, since), { since, until: Date.now(), points }),
    async services({ since, points }) {
      const range = { since, until: Date.now(), points };
      const found = await history.services(since);
      return new Map(
        [...found].flatMap(([key, samples]) => {
          const newest = samples.at(-1);
          return newest ? [[key, { newest, points: pointsOf(samples, range) }]] : [];
        }),
      );
    },
    newest: history.newest,
  };
}

interface Turn {
  start(): void;
  stop(): Promise<void>;
  isFirst(): boolean;
}

/** One after another, never two at once; one that takes longer than its time leaves the next one out. */
function createTurn(
  everyMs: number,
  onFault: (error: unknown) => void,
  work: (now: number) => Promise<void>,
): Turn {
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  const begin = (): void => {
    running ??= work(Date.now())
      .catch(onFault)
      .finally(() => {
        running = undefined;
        count += 1;
      });
  };
  return {
    isFirst: () => count === 0,
    start() {
      begin();
      timer = setInterval(begin, everyMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

function createCleaning(schedule: string, history: Pick<History, 'clean'>): (now: number) => Promise<void> {
  let next: number | undefined;
  return async (now) => {
    next ??= nextTime(schedule, 'UTC', now);
    if (next === undefined || now < next) return;
    next = nextTime(schedule, 'UTC', now);
    await history.clean(now);
  };
}
