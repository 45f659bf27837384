/** Waits for deployments through the interface, as any person of any organization. */
import { z } from 'zod';
import { growingPause } from '../bed/pauses.ts';
import { valueOf, type Call } from './caller.ts';

const settledApplication = z.object({
  applicationStatus: z.string(),
  deployments: z.array(
    z.object({
      deploymentId: z.string(),
      status: z.string(),
      stage: z.string().nullable(),
      errorMessage: z.string().nullable(),
    }),
  ),
});
export type SettledApplication = z.infer<typeof settledApplication>;

/** The application once none of its deployments is under way. */
export async function settled(
  call: Call,
  applicationId: string,
  limitMs = 120_000,
): Promise<SettledApplication> {
  const end = performance.now() + limitMs;
  const pause = growingPause();
  for (;;) {
    const application = settledApplication.parse(await valueOf(call('application.one', { applicationId })));
    if (application.deployments.every(({ status }) => status !== 'queued' && status !== 'running'))
      return application;
    if (performance.now() > end)
      throw new Error(
        `Still under way after ${limitMs / 1000} s: ${JSON.stringify(application.deployments[0])}`,
      );
    await pause();
  }
}

/** Deploys and waits; throws with the log when it does not end well. */
export async function deployed(call: Call, applicationId: string): Promise<void> {
  await valueOf(call('application.deploy', { applicationId }));
  const {
    deployments: [newest],
  } = await settled(call, applicationId);
  if (newest?.status === 'done') return;
  const lines = await logOf(call, newest?.deploymentId ?? '');
  throw new Error([newest?.errorMessage ?? 'No deployment', ...lines].join('\n'));
}

export async function logOf(call: Call, deploymentId: string): Promise<string[]> {
  return z.array(z.string()).parse(await valueOf(call('deployment.readLogs', { deploymentId })));
}
