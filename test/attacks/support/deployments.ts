/** What an attack by a deployment came to. */
import { randomId } from '../../../server/src/ports/clock.ts';
import { growingPause } from '../../bed/machine/pauses.ts';
import { valueOf, type Call } from '../../e2e/fixtures/caller.ts';
import { fieldOf } from '../../e2e/fixtures/one-of-everything.ts';
import { textOf } from '../../http/interface-client.ts';
import type { Outcome } from './rows.ts';

/** Unlike any other. */
export const newName = (): string =>
  `thief-${randomId(8)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, 'x')}`;

/** Waits for the service's newest deployment; the attack has succeeded when its log holds the loot. */
export async function lootOf(by: Call, service: object, loot: string): Promise<Outcome> {
  const all = await valueOf(by('deployment.all', service));
  const deploymentId = textOf(Array.isArray(all) ? all[0] : undefined, 'deploymentId');
  const pause = growingPause();
  for (const end = Date.now() + 300_000; Date.now() < end; await pause()) {
    const deployment = await valueOf(by('deployment.one', { deploymentId }));
    if (!['done', 'error', 'cancelled'].includes(textOf(deployment, 'status'))) continue;
    const log = JSON.stringify(await valueOf(by('deployment.readLogs', { deploymentId })));
    if (log.includes(loot)) return { succeeded: true, said: loot };
    return { succeeded: false, said: String(fieldOf(deployment, 'errorMessage')) };
  }
  throw new Error(`The deployment ${deploymentId} did not end.`);
}
