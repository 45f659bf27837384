/**
 * What a service of any kind lives through, wherever it stands: one table, the same for Berth's own machine
 * and for a server. A step that a kind does not have is absent from its row.
 */
import { dockerOf } from '../../bed/docker.ts';
import type { BedHost } from '../../bed/host/host.ts';
import type { BerthCalls, BerthHost, DeploymentView } from '../fixtures/berth-host.ts';
import { deploymentEnded } from '../fixtures/applications.ts';

/** Where a service is made. */
export interface Place {
  berth: BerthCalls & Pick<BerthHost, 'host'>;
  /** The machine that the service runs on. */
  host: BedHost;
  /** Null for Berth's own. */
  serverId: string | null;
  /** Before the names of its services. */
  name: string;
  environmentId: string;
  destinationId: string;
  /** The first of the ports that its services may publish. */
  firstPort: number;
}

export interface Life {
  /** Label of everything of it on the engine. */
  label: string;
  deploy(): Promise<void>;
  /** What it answers to whoever uses it; undefined when nothing does. */
  answer(): Promise<string | undefined>;
  /** Changes what it answers; gives that. */
  change(): Promise<string>;
  /** A deployment that must fail; gives the reason. */
  fail(): Promise<string>;
  /** Back to before the change; gives what it answers then. */
  rollBack?(): Promise<string>;
  /** Backs up what it holds, changes that, and restores it; gives what it answers then. */
  backUpAndRestore?(): Promise<string>;
  /** What else is done with it while it runs; gives a sentence for each. */
  use?(): Promise<string[]>;
  remove(): Promise<void>;
}

/** Begins a deployment by this call and gives its end. */
export async function deployed(
  berth: BerthCalls,
  call: string,
  subject: Record<string, string>,
  list: Record<string, string> = subject,
): Promise<DeploymentView> {
  await berth.call(call, subject);
  const [newest] = await berth.call<DeploymentView[]>('deployment.all', list);
  return deploymentEnded(berth, call, newest?.deploymentId ?? '', 240_000);
}

export async function mustBeDone(berth: BerthCalls, deployment: DeploymentView): Promise<DeploymentView> {
  if (deployment.status === 'done') return deployment;
  const lines = await berth.log(deployment.deploymentId);
  throw new Error(`${deployment.errorMessage ?? deployment.status}\n${lines.join('\n')}`);
}

export function mustFail({ status, errorMessage }: DeploymentView): string {
  if (status !== 'error') throw new Error(`It ended as ${status}, and not with an error.`);
  return errorMessage ?? '';
}

/** Services, containers and volumes of it that are on the machine. */
export async function leftOf({ host }: Pick<Place, 'host'>, label: string): Promise<string[]> {
  const docker = dockerOf(host);
  const [services, containers, volumes] = await Promise.all([
    docker.services(label),
    docker.containers(label),
    docker.volumes(label),
  ]);
  return [...services, ...containers, ...volumes];
}
