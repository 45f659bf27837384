/** What the engine keeps of a container that the container itself cannot see. */
import { z } from 'zod';
import { segment, type EngineClient } from '../../../server/src/adapters/engine/client/engine-client.ts';
import type { Meaning } from '../judge/meaning.ts';

export interface Settings {
  /** The container's process 1, as the engine's machine counts; 0 where none runs. */
  process: number;
  asked: Meaning;
}

const check = z.looseObject({
  Test: z.array(z.string()).nullish(),
  Interval: z.number().optional(),
  Timeout: z.number().optional(),
  StartPeriod: z.number().optional(),
  StartInterval: z.number().optional(),
  Retries: z.number().optional(),
});
const shape = z.looseObject({
  State: z.looseObject({ Pid: z.number() }),
  Config: z.looseObject({
    Labels: z.record(z.string(), z.string()).nullish(),
    StopSignal: z.string().optional(),
    Healthcheck: check.nullish(),
  }),
  HostConfig: z.looseObject({
    LogConfig: z.looseObject({ Type: z.string(), Config: z.record(z.string(), z.string()).nullish() }),
    Dns: z.array(z.string()).nullish(),
  }),
});

/** Labels that the engine, docker compose or Berth put there by themselves. */
const ofPrograms = /^(?:com\.docker\.|desktop\.docker\.|berth\.|org\.opencontainers\.)/;

export async function settingsOf(client: EngineClient, id: string): Promise<Settings> {
  const path = `/containers/${segment(id)}/json`;
  const doing = 'the test looked';
  const { State, Config, HostConfig } = await client.call({ method: 'GET', path, doing }, shape);
  const { Type: driver, Config: options } = HostConfig.LogConfig;
  return {
    process: State.Pid,
    asked: {
      labels: Object.fromEntries(
        Object.entries(Config.Labels ?? {}).filter(([name]) => !ofPrograms.test(name)),
      ),
      logging: { driver, options: options ?? {} },
      stop_signal: Config.StopSignal?.replace(/^SIGTERM$/, '') || undefined,
      healthcheck: checkOf(Config.Healthcheck),
      dns: HostConfig.Dns ?? [],
    },
  };
}

function checkOf(found: z.infer<typeof check> | null | undefined): unknown {
  if (!found?.Test || found.Test.length === 0) return undefined;
  if (found.Test[0] === 'NONE') return 'disabled';
  const milliseconds = (value: number | undefined): number | undefined => (value ? value / 1e6 : undefined);
  return {
    test: found.Test,
    interval: milliseconds(found.Interval),
    timeout: milliseconds(found.Timeout),
    start_period: milliseconds(found.StartPeriod),
    start_interval: milliseconds(found.StartInterval),
    retries: found.Retries || undefined,
  };
}
