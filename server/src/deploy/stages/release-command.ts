/** Commands of an application before and after a release: one-off tasks of the new image. */
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import { noHealthCheck } from '../../ports/engine/health-check.ts';
import type { DeployContext } from '../context.ts';
import { isPlainExit } from '../release/failure-reason.ts';

const limitMs = 30 * 60_000;

const kinds = {
  'pre-release': { field: 'preReleaseCommand', suffix: 'before' },
  'post-release': { field: 'postReleaseCommand', suffix: 'after' },
} as const;

export interface ReleaseCommand {
  which: keyof typeof kinds;
  spec: ServiceSpec;
}

/** Runs the command of the settings, if there is one; resolves with its failure as words. */
export async function runReleaseCommand(
  { application, deployment, engine, log, signal, taskLabels }: DeployContext,
  { which, spec }: ReleaseCommand,
): Promise<string | undefined> {
  const { field, suffix } = kinds[which];
  const command = application[field];
  if (!command) return undefined;
  const name = `${spec.name.slice(0, 40)}-${suffix}-${deployment.deploymentId.slice(0, 12)}`;
  if (await engine.service(name)) {
    await engine.removeService(name);
    log.line(`Ended the ${which} command that was running when Berth was restarted.`);
  }
  log.line(`Running the ${which} command: ${JSON.stringify(command)}`);
  const task = {
    ...spec,
    name,
    labels: { ...spec.labels, ...taskLabels },
    command,
    args: undefined,
    ports: [],
    replicas: 1,
    healthCheck: noHealthCheck,
  };
  const { exitCode, error } = await engine.runTask(task, {
    signal,
    limitMs,
    onLine: ({ text }) => log.line(`  ${text}`),
  });
  if (exitCode === 0) return undefined;
  const why = isPlainExit({ error }) ? '' : ` (${error})`;
  return `The ${which} command ended with exit code ${exitCode ?? 'unknown'}${why}`;
}
