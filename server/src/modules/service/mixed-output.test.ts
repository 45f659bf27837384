import { expect, it } from 'vitest';
import type { LogLine } from '../../ports/engine/engine.ts';
import { mixedOutput, type MixingParts } from './mixed-output.ts';
import type { PlacedService } from './service.ts';

const placed = (kind: PlacedService['kind'], serviceId: string, change: object = {}): PlacedService => ({
  kind,
  serviceId,
  organizationId: 'o',
  name: `the ${serviceId}`,
  appName: serviceId,
  environmentId: 'e',
  environmentName: 'production',
  projectId: 'p',
  projectName: 'Shop',
  serverId: null,
  status: 'done',
  liveDeploymentId: 'd',
  isStopped: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

const at = (second: number): string => `2026-01-01T00:00:0${second}.000000001Z`;
const line = (second: number, text: string): LogLine => ({
  at: at(second),
  stream: 'stdout',
  text,
  taskId: 't',
  nodeId: 'n',
});

interface Asked {
  name: string;
  since: string | undefined;
  follow: boolean;
}

/** An engine with these services; `written` is what comes while somebody follows. */
function mixing(
  services: Record<string, Record<string, string>>,
  lines: Record<string, LogLine[]>,
  written: Record<string, LogLine[]> = {},
): { parts: MixingParts; asked: Asked[] } {
  const asked: Asked[] = [];
  const engine = {
    services: async () => Object.entries(services).map(([name, labels]) => ({ name, labels })),
    async *serviceLogs(name: string, { since, follow = false }: { since?: string; follow?: boolean }) {
      asked.push({ name, since, follow });
      yield* (lines[name] ?? []).filter((one) => since === undefined || one.at >= since);
      if (follow) yield* written[name] ?? [];
    },
  };
  const parts = {
    engineOf: async (serverKey: string) => (serverKey === 'local' ? engine : undefined),
    logAnswerBytes: async () => 100_000,
  } as unknown as MixingParts;
  return { parts, asked };
}

const services = {
  web: { 'berth.application': 'web' },
  stack_db: { 'berth.compose': 'stack', 'berth.service': 'db' },
  foreign: { 'berth.application': 'foreign' },
  proxy: {},
};
const texts = (lines: Iterable<LogLine & { serviceName?: string }>): string[] =>
  [...lines].map(({ serviceName, text }) => `${serviceName}: ${text}`);

it('lines of several services come by their time, each with the name of its service', async () => {
  const { parts } = mixing(services, {
    web: [line(1, 'a'), line(3, 'c')],
    stack_db: [line(2, 'b')],
    foreign: [line(1, 'not ours')],
  });
  const output = mixedOutput(parts, [placed('application', 'web'), placed('compose', 'stack')], 10);
  const read = (await output.read({ since: undefined })) as (LogLine & { serviceName: string })[];
  expect(texts(read)).toEqual(['the web: a', 'the stack/db: b', 'the web: c']);
});

it('whoever follows gets each line once: what was there by its time, then what is written', async () => {
  const { parts, asked } = mixing(
    services,
    { web: [line(1, 'a')], stack_db: [] },
    { web: [line(4, 'd')], stack_db: [line(5, 'e')] },
  );
  const output = mixedOutput(parts, [placed('application', 'web'), placed('compose', 'stack')], 10);
  const followed = output.follow({ since: undefined, signal: new AbortController().signal });
  const [first, ...written] = texts(await Array.fromAsync(followed));
  expect(first).toBe('the web: a');
  expect(written.toSorted()).toEqual(['the stack/db: e', 'the web: d']);
  expect(asked.filter(({ follow }) => follow)).toEqual([
    { name: 'web', since: at(1), follow: true },
    { name: 'stack_db', since: undefined, follow: true },
  ]);
});

it('no engine is asked for what was never released, or of a server that was never connected', async () => {
  const { parts, asked } = mixing(services, { web: [line(1, 'a')] });
  const output = mixedOutput(
    parts,
    [
      placed('application', 'web', { liveDeploymentId: null }),
      placed('application', 'web', { serverId: 'away' }),
    ],
    10,
  );
  expect(await output.read({ since: undefined })).toEqual([]);
  expect(asked).toEqual([]);
});
