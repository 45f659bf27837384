import { amount, median, type Figure } from '../figure.ts';
import { timesOf, type TimedCall } from '../times.ts';
import { requireSameAnswer, type Pair } from './pair.ts';

/** All services of an organization in one answer. */
export async function listServices(pair: Pair): Promise<Figure> {
  await requireSameAnswer(pair, '/api/project.all');
  const calls = (url: string): TimedCall[] =>
    Array.from({ length: 60 }, () => ({
      url: `${url}/api/project.all`,
      method: 'GET',
      headers: pair.headers,
    }));
  return inTurn('list of 1,000 services (project.all), p50', 20, pair, calls);
}

/**
 * `application.deploy`: deployment, job, status and audit entry are stored when it answers. The jobs run
 * meanwhile and fail for want of an engine.
 */
export async function acceptDeployments(pair: Pair): Promise<Figure> {
  const headers = { ...pair.headers, 'content-type': 'application/json' };
  const calls = (url: string): TimedCall[] =>
    pair.installation.deployable.slice(0, 200).map((applicationId) => ({
      url: `${url}/api/application.deploy`,
      method: 'POST',
      headers,
      body: JSON.stringify({ applicationId }),
    }));
  return inTurn('application.deploy accepted, p50', 10, pair, calls);
}

async function inTurn(
  name: string,
  budgetMs: number,
  { berth, baseline }: Pair,
  calls: (url: string) => TimedCall[],
): Promise<Figure> {
  const baselineMs = median(await timesOf(calls(baseline.url)));
  const ms = median(await timesOf(calls(berth.url)));
  return {
    name,
    kind: 'absolute',
    measured: amount(ms, 'ms'),
    baseline: amount(baselineMs, 'ms'),
    budget: `≤ ${budgetMs} ms`,
    isKept: ms <= budgetMs,
  };
}
