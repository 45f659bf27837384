/**
 * The monitoring agent of a server with 50 containers, beside a program of the same Node.js that does
 * nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFlags } from '../../server/src/domain/resources/node-flags.ts';
import type { BedHost } from '../../test/bed/host/host.ts';
import type { BerthHost } from '../../test/e2e/fixtures/berth-host.ts';
import { output, until } from '../../test/e2e/fixtures/workshop.ts';
import { amount, type Figure } from '../figure.ts';

const docker = '/usr/bin/docker';
const containers = 50;
const refreshSeconds = 10;
const measuredMs = 60_000;
const cpuBudgetPercent = 0.5;
const memoryBudgetMb = 30;
/** Of the kernel's count of processor time. */
const tickMs = 10;

export async function agentFigures(berth: BerthHost, server: BedHost, serverId: string): Promise<Figure[]> {
  const start =
    'for n in $(seq "$1"); do "$2" run -d --name "idle-$n" --entrypoint sleep berth/caddy:2 3600; done';
  await server.exec(['sh', '-euc', start, 'sh', String(containers), docker], { limitMs: 600_000 });
  await berth.call('server.setupMonitoring', {
    serverId,
    metricsConfig: {
      server: {
        refreshRate: refreshSeconds,
        port: 4500,
        token: 'a-token-of-the-bench',
        urlCallback: 'https://berth.example.com/metrics',
        retentionDays: 1,
        cronJob: '0 0 * * *',
        thresholds: { cpu: 0, memory: 0 },
      },
      containers: { refreshRate: refreshSeconds, services: { include: [], exclude: [] } },
    },
  });
  const measured = async (): Promise<number> =>
    (await berth.call<unknown[]>('server.metrics', { serverId })).length;
  // The first points are those of a program that warms up.
  await until('it has measured', async () => (await measured()) > 2, 180_000);
  const [before, began] = [await ticks(server), performance.now()];
  await sleep(measuredMs);
  const ms = performance.now() - began;
  const percent = (((await ticks(server)) - before) * tickMs * 100) / ms;
  const { agent, bare } = await memory(server);
  return [
    {
      name: `the monitoring agent, ${containers} containers, every ${refreshSeconds} s: of one processor`,
      kind: 'absolute',
      measured: amount(percent, '%'),
      baseline: '–',
      budget: `≤ ${cpuBudgetPercent} %`,
      isKept: percent <= cpuBudgetPercent,
    },
    {
      name: 'the same: memory (RSS) above a program of the same Node.js that does nothing',
      kind: 'absolute',
      measured: `${amount(agent - bare, 'MB')} (${amount(agent, 'MB')})`,
      baseline: amount(bare, 'MB'),
      budget: `≤ ${memoryBudgetMb} MB`,
      isKept: agent - bare <= memoryBudgetMb,
    },
  ];
}

const inAgent = async (server: BedHost, script: string): Promise<string> => {
  const id = await output(server, docker, 'ps', '-q', '--no-trunc', '--filter', 'name=berth-monitoring');
  return output(server, docker, 'exec', id, 'sh', '-c', script);
};
const itsFolder =
  'dirname "$(grep -l metrics/agent /proc/[0-9]*/cmdline 2>/dev/null | grep -v self | head -n 1)"';

/** Of processor time that it has used so far (proc(5), fields 14 and 15). */
async function ticks(server: BedHost): Promise<number> {
  const stat = await inAgent(server, `cat "$(${itsFolder})/stat"`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function memory(server: BedHost): Promise<{ agent: number; bare: number }> {
  const shown = await inAgent(
    server,
    `/berth-agent/node-v* ${nodeFlags.join(' ')} -e "setTimeout(() => {}, 5000)" & sleep 3; ` +
      `grep -h VmRSS "$(${itsFolder})/status" /proc/$!/status`,
  );
  const [agent = NaN, bare = NaN] = [...shown.matchAll(/VmRSS:\s+(\d+) kB/g)].map(
    ([, kb]) => Number(kb) / 1000,
  );
  return { agent, bare };
}
