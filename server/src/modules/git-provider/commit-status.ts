/** Tells a git host what became of the deployment of a commit: under way, where it answers, why it failed. */
import { idFields, ownerOf } from '../../domain/names/service-ref.ts';
import { addressOf } from '../../domain/routing/address.ts';
import type { DeploymentRecord } from '../../db/tables.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { oneLine } from '../../domain/text/words.ts';
import type { CommitState, GitApi } from '../../ports/git-api.ts';
import type { Queue } from '../../ports/queue.ts';

/** What a deployment is of, as far as its git host is concerned. */
export interface LinkedSource {
  gitProviderId: string;
  organizationId: string;
  /** Full name, such as `acme/shop`. */
  repository: string;
  /** Of the service; statuses of several on one commit stand beside each other. */
  name: string;
  /** Where it is deployed to, such as `shop/production/web`. */
  environment: string;
  isPreview: boolean;
}

export interface CommitStatusPorts {
  deployment(deploymentId: string): Promise<DeploymentRecord | undefined>;
  /** Undefined where no link to a git host is named, or the source is none of a host. */
  linked(deployment: Owned): Promise<LinkedSource | undefined>;
  api(gitProviderId: string, organizationId: string): Promise<HostTold>;
  /** Of the service with this column, the oldest first. */
  domains(owner: Readonly<Record<string, string>>): Promise<Address[]>;
  /** Where Berth itself answers. */
  url(): Promise<string>;
  warn(sentence: string): void;
}

type Address = Parameters<typeof addressOf>[0];
type Owned = Pick<DeploymentRecord, 'applicationId' | 'composeId' | 'previewDeploymentId'>;

export const commitStatusJob = 'commitStatus';
const attemptsLimit = 3;
const descriptionLimit = 140;

/** Accepts the job that tells the host, in the caller's transaction; none where there is nobody to tell. */
export function commitStatusLater(
  queue: Pick<Queue, 'enqueue'>,
  linked: CommitStatusPorts['linked'],
): (deployment: Owned & Pick<DeploymentRecord, 'deploymentId'>) => Promise<void> {
  return async ({ deploymentId, ...owner }) => {
    if ((await linked(owner)) === undefined) return;
    await queue.enqueue({
      kind: commitStatusJob,
      payload: { deploymentId },
      serviceKey: `status:${deploymentId}`,
      serverKey: 'commit-statuses',
    });
  };
}

/** Where the service answers; undefined without a domain. */
async function answeringAt(
  { domains }: Pick<CommitStatusPorts, 'domains'>,
  deployment: DeploymentRecord,
): Promise<string | undefined> {
  const { kind, serviceId } = ownerOf(deployment);
  const [oldest] = await domains({ [idFields[kind]]: serviceId });
  return oldest && addressOf(oldest);
}

/** Handler of these jobs: writes what the deployment is by then. A host that is away is asked thrice. */
export function createCommitStatusJob(
  ports: CommitStatusPorts,
): (job: { payload: Record<string, string>; attempts: number }) => Promise<void> {
  return async ({ payload, attempts }) => {
    const deployment = await ports.deployment(payload['deploymentId'] ?? '');
    const source = deployment?.commit ? await ports.linked(deployment) : undefined;
    if (!deployment?.commit || !source) return;
    const { status, deploymentId, commit } = deployment;
    const { repository, environment, isPreview: isTransient } = source;
    const state = states[status];
    const environmentUrl = state === 'success' ? await answeringAt(ports, deployment) : undefined;
    const description = oneLine(wordsOf(deployment, environmentUrl), descriptionLimit);
    const logUrl = new URL(`/deployments/${deploymentId}`, await ports.url()).href;
    const told = async (what: string, tell: (api: HostTold) => Promise<void> | undefined): Promise<void> => {
      try {
        await tell(await ports.api(source.gitProviderId, source.organizationId));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'SERVICE_UNAVAILABLE' && attempts < attemptsLimit) throw error;
        ports.warn(
          `${what} of the commit ${commit} of ${repository} could not be written: ${sentenceOf(error)}`,
        );
      }
    };
    const targetUrl = environmentUrl ?? logUrl;
    const context = `berth/${source.name}`;
    await told('The status', (api) =>
      api.setStatus(repository, commit, { state, context, description, targetUrl }),
    );
    const deployed = { deploymentId, state, environment, isTransient, description, logUrl, environmentUrl };
    await told('The deployment', (api) => api.setDeployment?.(repository, commit, deployed));
  };
}

type HostTold = Pick<GitApi, 'setStatus' | 'setDeployment'>;

const states = {
  queued: 'pending',
  running: 'pending',
  done: 'success',
  error: 'failure',
  cancelled: 'cancelled',
} as const satisfies Record<DeploymentRecord['status'], CommitState>;

function wordsOf(
  { status, errorMessage }: Pick<DeploymentRecord, 'status' | 'errorMessage'>,
  address: string | undefined,
): string {
  if (status === 'done') return address === undefined ? 'Deployed' : `Deployed: ${address}`;
  if (status === 'error') return `Failed: ${errorMessage ?? 'the log says why'}`;
  return status === 'cancelled' ? `Cancelled: ${errorMessage ?? ''}` : 'Being deployed';
}
