/** Deploys the example and follows its log to the end. */
import type { Client } from '../../client/client.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext } from '../context.ts';

const limitMs = 15 * 60_000;

/** Throws with the deployment's own reason when it fails. */
export async function deployAndFollow(
  client: Client,
  { say, signal }: SetupContext,
  applicationId: string,
): Promise<void> {
  await client.application.deploy({ applicationId, title: 'bin/up --example' });
  const [newest] = await client.deployment.all({ applicationId });
  const deploymentId = newest?.deploymentId;
  if (deploymentId === undefined)
    throw new AppError('INTERNAL_SERVER_ERROR', 'Berth accepted the deployment but has no record of it.');
  const limit = AbortSignal.timeout(limitMs);
  for await (const { data } of client.deployment.logs(
    { deploymentId },
    { signal: AbortSignal.any([signal, limit]) },
  )) {
    // The time of each line is of use in a stored log, not to who watches it come.
    if (data.type === 'line') say(`  ${data.text.replace(/^[-0-9:.T]+Z /, '')}`);
  }
  const { status, errorMessage } = await client.deployment.one({ deploymentId });
  if (status !== 'done')
    throw new AppError(
      'PRECONDITION_FAILED',
      `the example was not deployed (${status}): ${errorMessage ?? 'no reason given'}`,
    );
}
