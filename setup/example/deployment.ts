/** Deploys the example and follows its log to the end. */
import { z } from 'zod';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext } from '../context.ts';
import { waitUntil } from '../wait-until.ts';
import type { Api } from './api.ts';

const deploymentSchema = z.object({ deploymentId: z.string(), status: z.string(), errorMessage: z.string().nullish() });
const logsSchema = z.array(z.string());

const limitMs = 15 * 60_000;
const finished = ['done', 'error', 'cancelled'];

/** Throws with the deployment's own reason when it fails. */
export async function deployAndFollow(api: Api, { say, signal }: SetupContext, applicationId: string): Promise<void> {
  await api.post('application.deploy', { applicationId }, z.unknown());
  let printed = 0;
  const ended = await waitUntil(
    async () => {
      const [latest] = await api.get('deployment.all', { applicationId }, z.array(deploymentSchema));
      if (latest === undefined) return undefined;
      const lines = await api.get('deployment.readLogs', { deploymentId: latest.deploymentId }, logsSchema);
      for (const line of lines.slice(printed)) say(`  ${line}`);
      printed = Math.max(printed, lines.length);
      return finished.includes(latest.status) ? latest : undefined;
    },
    { limitMs, everyMs: 300, signal },
  );
  if (ended?.status === 'done') return;
  const reason = ended === undefined ? `it did not end within ${limitMs / 60_000} minutes` : (ended.errorMessage ?? ended.status);
  throw new AppError('PRECONDITION_FAILED', `the example was not deployed: ${reason}`);
}
