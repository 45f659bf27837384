import { openDatabase } from '../baseline/database.ts';
import { amount, median, type Figure } from '../figure.ts';
import { projectCount, servicesEach, type LargeOrganization } from '../large-data.ts';
import type { ServerProcess } from '../server-process.ts';
import { timesOf, type TimedCall } from '../times.ts';

const budgetMs = 25;
const highestRatio = 3;
const rounds = 10;
const callsEach = 10;

/**
 * `project.all` of a large organization; the baseline is the bare statements with JSON.stringify of the same
 * rows, without HTTP.
 */
export async function listLargeOrganization(
  berth: ServerProcess,
  { organizationId, apiKey }: LargeOrganization,
  baselineData: string,
): Promise<Figure> {
  const call: TimedCall = {
    url: `${berth.url}/api/project.all`,
    method: 'GET',
    headers: { 'x-api-key': apiKey },
  };
  await requireAll(call);
  const read = bareRead(baselineData, organizationId);
  const times: Record<'berth' | 'baseline', number[]> = { berth: [], baseline: [] };
  // In turns, so that whatever else the machine does falls on both; the first rounds make both warm.
  for (let round = 0; round < rounds + 2; round += 1) {
    const [berthTimes, baselineTimes] = [
      await timesOf(Array.from({ length: callsEach }, () => call)),
      timesOfReads(read),
    ];
    if (round < 2) continue;
    times.berth.push(...berthTimes);
    times.baseline.push(...baselineTimes);
  }
  const [ms, baselineMs] = [median(times.berth), median(times.baseline)];
  const ratio = ms / baselineMs;
  return {
    name:
      `list of ${(projectCount * servicesEach).toLocaleString('en')} services in ${projectCount} ` +
      'projects (project.all), p50',
    kind: 'ratio',
    measured: `${amount(ms, 'ms')}; ${ratio.toFixed(2)} ×`,
    baseline: `${amount(baselineMs, 'ms')} (statements and JSON.stringify)`,
    budget: `≤ ${budgetMs} ms or ≤ ${highestRatio} ×`,
    isKept: ms <= budgetMs || ratio <= highestRatio,
  };
}

function bareRead(data: string, organizationId: string): () => string {
  const database = openDatabase(data);
  return () =>
    JSON.stringify([
      database.projects(organizationId),
      database.environments(organizationId),
      database.services(organizationId, organizationId, organizationId),
    ]);
}

function timesOfReads(read: () => string): number[] {
  return Array.from({ length: callsEach }, () => {
    const start = performance.now();
    read();
    return performance.now() - start;
  });
}

/** Throws unless every service is in the answer: else it is not the work that was promised. */
async function requireAll({ url, headers }: TimedCall): Promise<void> {
  const text = await (await fetch(url, { headers })).text();
  const found = text.match(/"(?:application|compose)Status":/g)?.length ?? 0;
  if (found !== projectCount * servicesEach)
    throw new Error(`project.all shows ${found} services instead of ${projectCount * servicesEach}.`);
}
