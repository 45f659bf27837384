/** Keeps the output of tasks that end on each host, whether they end by themselves or Berth stops them. */
import type { EngineView } from '../../ports/engine/engine-view.ts';
import type { Engine, RunningService } from '../../ports/engine/engine.ts';
import { createEndedOutputKeeper, type EndedOutputKeeper } from './ended-output.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndedOutputs } from '../../ports/ended-output.ts';

export interface EndedOutput {
  /** An engine that keeps the output of a service before it stops the service. */
  keeping(host: { key: string; engineView: Pick<EngineView, 'containerLogs'> }, engine: Engine): Engine;
  note(serverKey: string, found: RunningService): void;
  stop(): Promise<void>;
}

interface EndedOutputParts {
  adapters: { endedOutputs: Pick<EndedOutputs, 'has' | 'keep'> };
  clock: Clock;
  log: { fault(error: unknown, where: string): unknown };
}

export function createEndedOutput({ adapters, clock, log }: EndedOutputParts): EndedOutput {
  const keepers = new Map<string, EndedOutputKeeper>();
  const onFault = (error: unknown): void => void log.fault(error, 'output of what ended');
  return {
    keeping({ key, engineView: view }, engine) {
      const keeper = createEndedOutputKeeper({
        engine,
        view,
        outputs: adapters.endedOutputs,
        now: clock.now,
        onFault,
      });
      keepers.set(key, keeper);
      return {
        ...engine,
        async scaleService(name, replicas) {
          // A service is stopped even when its output could not be kept.
          if (replicas === 0) await keeper.beforeStop(name).catch(onFault);
          await engine.scaleService(name, replicas);
        },
      };
    },
    note: (serverKey, found) => keepers.get(serverKey)?.note(found),
    async stop() {
      await Promise.all([...keepers.values()].map((keeper) => keeper.stop()));
    },
  };
}
