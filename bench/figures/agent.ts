/** The monitoring agent of a server with 50 containers: processor time, and memory beside a bare Node. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFlags } from '../../server/src/domain/resources/node-flags.ts';
import type { BedHost } from '../../test/bed/host/host.ts';
import { processesOf } from '../../test/bed/machine/processes.ts';
import type { BerthHost } from '../../test/e2e/fixtures/berth-host.ts';
import { docker, output, until } from '../../test/e2e/fixtures/applications.ts';
import { amount, type Figure } from '../figure.ts';

const containers = 50;
const refreshSeconds = 10;
const settleMs = 30_000;
const measuredMs = 120_000;
const cpuBudget = 0.5;
const memoryBudget = 30;
/** Not the init of its container, which has the same words after its own. */
const agentProgram = /^\/berth-agent\/node-.*\/program-/;

/** On a server that is set up and has no monitoring yet. */
export async function agentFigures(
  berth: BerthHost,
  far: BedHost,
  { serverId, say }: { serverId: string; say(text: string): void },
): Promise<Figure[]> {
  say(`${containers} containers …`);
  const start = 'for i in $(seq "$1"); do "$2" run -d --name "idle-$i" berth/node:24 sleep 100000; done';
  const started = await far.exec(['sh', '-euc', start, 'sh', String(containers), docker], {
    limitMs: 300_000,
  });
  if (started.code !== 0) throw new Error(`The containers could not be started: ${started.stderr}`);
  await berth.call('server.setupMonitoring', { serverId, metricsConfig: metricsConfig() });
  const points = async (): Promise<number> =>
    (await berth.call<unknown[]>('server.metrics', { serverId })).length;
  await until('the agent has measured', async () => (await points()) > 0, 120_000);
  await sleep(settleMs);
  say(`${measuredMs / 1000} s of the agent …`);
  const pid = await agentPid(far);
  const [before, began, pointsBefore] = [await ticks(far, pid), performance.now(), await points()];
  await sleep(measuredMs);
  const seconds = (performance.now() - began) / 1000;
  const spent = (await ticks(far, pid)) - before;
  const turns = (await points()) - pointsBefore;
  // Hundredths of a second in a second are percent.
  return [cpuFigure(spent / seconds, turns), await memoryFigure(far, pid)];
}

const metricsConfig = () => ({
  server: {
    refreshRate: refreshSeconds,
    port: 4500,
    token: 'of the bench',
    urlCallback: 'https://berth.example.com/passed',
    retentionDays: 2,
    cronJob: '0 0 * * *',
    thresholds: { cpu: 0, memory: 0 },
  },
  containers: { refreshRate: refreshSeconds, services: { include: [], exclude: [] } },
});

async function agentPid(far: BedHost): Promise<string> {
  const [pid] = await processesOf(far, agentProgram);
  if (pid === undefined) throw new Error('No agent runs on the server.');
  return pid;
}

/** Processor time in hundredths of a second (proc(5): utime and stime). */
async function ticks(far: BedHost, pid: string): Promise<number> {
  const text = await output(far, 'cat', `/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function cpuFigure(percent: number, turns: number): Figure {
  return {
    name: `the agent's processor time with ${containers} containers, a refresh of ${refreshSeconds} s`,
    kind: 'absolute',
    measured: `${amount(percent, '% of a processor')} (${turns} refreshes)`,
    baseline: 'nothing without it',
    budget: `≤ ${cpuBudget} %`,
    isKept: percent <= cpuBudget && turns > 0,
  };
}

/** Beside a program of the same Node.js that does nothing, in the same container. */
async function memoryFigure(far: BedHost, pid: string): Promise<Figure> {
  const container = await output(far, docker, 'ps', '-q', '--filter', 'name=berth-monitoring');
  const bare =
    `/berth-agent/node-v* ${nodeFlags.join(' ')} -e "setTimeout(() => {}, 8000)" & sleep 5; ` +
    'grep -h VmRSS /proc/$!/status';
  const nothing = megabytes(await output(far, docker, 'exec', container, 'sh', '-c', bare));
  const agent = megabytes(await output(far, 'grep', 'VmRSS', `/proc/${pid}/status`));
  return {
    name: "the agent's memory with them (RSS)",
    kind: 'absolute',
    measured: amount(agent, 'MB'),
    baseline: `${amount(nothing, 'MB')} a Node that does nothing`,
    budget: `≤ ${memoryBudget} MB more`,
    isKept: agent - nothing <= memoryBudget,
  };
}

const megabytes = (status: string): number =>
  (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024) / 1_000_000;
