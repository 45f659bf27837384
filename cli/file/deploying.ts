/** Which services of a file run otherwise than they are saved, and deploying those. */
import { fieldsOf } from '../connection/config.ts';
import { serviceKinds } from '../words/parts/services.ts';
import { arrayOf, readInstalled, readService, type InstalledService } from './installed.ts';
import type { Deployable, WholePlan } from './plan.ts';
import type { WholeFile } from './read-file.ts';
import type { Caller } from './caller.ts';

/** Why it is deployed; undefined: it is not. */
export function reasonToDeploy({ run }: InstalledService): string | undefined {
  if (!run.hasSource || run.isStopped) return undefined;
  if (!run.isReleased) return 'nothing is running yet';
  return run.pendingChanges.length > 0
    ? `not in effect yet: ${run.pendingChanges.slice(0, 5).join(', ')}`
    : undefined;
}

export interface ToDeploy extends Deployable {
  service: InstalledService;
  reason: string;
}

/** As they stand now. */
export async function toDeploy(
  caller: Caller,
  file: WholeFile,
  { deployable, names }: WholePlan,
): Promise<{ due: ToDeploy[]; notes: string[] }> {
  const due: ToDeploy[] = [];
  const notes: string[] = [];
  const installed = await readInstalled(caller, file.project, names);
  for (const one of deployable) {
    const services = installed?.environments.find(({ name }) => name === one.environment)?.services ?? [];
    const service =
      services.find(({ key }) => key === one.key) ?? services.find(({ appName }) => appName === one.key);
    const wanted = file.environments[one.environment]?.services?.[one.key];
    if (!service || wanted?.['deploy'] === false) continue;
    const reason = reasonToDeploy(service);
    if (!service.run.hasSource)
      notes.push(`${one.what} has no source yet. \`berth deploy\` in its folder sends one.`);
    else if (service.run.isStopped && service.run.pendingChanges.length > 0)
      notes.push(`${one.what} is stopped; what changed takes effect at its next deploy.`);
    if (reason !== undefined) due.push({ ...one, service, reason });
  }
  return { due, notes };
}

export interface Outcome {
  isGood: boolean;
  errorMessage: string | null;
}

/**
 * Deploys one and waits for the end. A deployment that is under way, of an apply that was ended for example,
 * is waited for first, and is enough where it brings everything.
 */
export async function deployOne(
  caller: Caller,
  { service, what }: ToDeploy,
  { names, wait }: { names: WholePlan['names']; wait: (deploymentId: string) => Promise<void> },
): Promise<Outcome> {
  const id = { [serviceKinds[service.kind].id]: service.id };
  const latest = async (): Promise<string> => {
    const [newest] = arrayOf(fieldsOf(await caller(`${service.kind}.one`, id))['deployments']);
    const deploymentId = newest?.['deploymentId'];
    return typeof deploymentId === 'string' ? deploymentId : '';
  };
  if (service.run.isUnderWay) {
    await wait(await latest());
    const now = await readService(caller, names, service.kind, service.id);
    if (now && reasonToDeploy(now) === undefined) return { isGood: true, errorMessage: null };
  }
  const title = service.kind === 'application' || service.kind === 'compose' ? { title: 'berth apply' } : {};
  await caller(`${service.kind}.deploy`, { ...id, ...title });
  const deploymentId = await latest();
  await wait(deploymentId);
  const { status, errorMessage } = fieldsOf(await caller('deployment.one', { deploymentId }));
  return {
    isGood: status === 'done',
    errorMessage: typeof errorMessage === 'string' ? errorMessage : `${what} ended as ${String(status)}.`,
  };
}
