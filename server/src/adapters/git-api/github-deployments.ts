/** Deployments of GitHub, beside the statuses of commits (docs.github.com/rest/deployments). */
import { z } from 'zod';
import type { CommitState, GitApi, HostDeployment } from '../../ports/git-api.ts';
import { allPages, type Call } from './call.ts';
import { pathOf } from './row.ts';

const deployment = z.object({ id: z.number() });
/** Of others, the payload may be anything. */
const deployments = z.array(deployment.extend({ payload: z.unknown() }));
const ownPayload = z.object({ berthDeploymentId: z.string() });
const anything = z.unknown();
const size = 100;

const stateNames = {
  pending: 'in_progress',
  success: 'success',
  failure: 'failure',
  cancelled: 'error',
} as const satisfies Record<CommitState, string>;

/** Finds the deployment by the id in its payload, so that it is made once, whatever was repeated. */
export function setGithubDeployment(call: Call): NonNullable<GitApi['setDeployment']> {
  return async (repository, commit, told) => {
    const base = `/repos/${pathOf(repository)}/deployments`;
    const id = (await find(call, base, commit, told)) ?? (await create(call, base, commit, told));
    await call.must(anything, 'POST', `${base}/${id}/statuses`, {
      body: {
        state: stateNames[told.state],
        description: told.description,
        log_url: told.logUrl,
        ...(told.environmentUrl === undefined ? {} : { environment_url: told.environmentUrl }),
      },
    });
  };
}

async function find(
  call: Call,
  base: string,
  commit: string,
  { environment, deploymentId }: HostDeployment,
): Promise<number | undefined> {
  const query = new URLSearchParams({ sha: commit, environment, per_page: String(size) });
  const found = await allPages(size, (page) =>
    call.must(deployments, 'GET', `${base}?${query.toString()}&page=${page}`),
  );
  return found.find(({ payload }) => ownPayload.safeParse(payload).data?.berthDeploymentId === deploymentId)
    ?.id;
}

/** The commit as it is: nothing is merged into it, and no check is waited for: Berth deploys it already. */
async function create(
  call: Call,
  base: string,
  commit: string,
  { environment, isTransient, deploymentId }: HostDeployment,
): Promise<number> {
  const body = {
    ref: commit,
    auto_merge: false,
    required_contexts: [],
    environment,
    transient_environment: isTransient,
    payload: { berthDeploymentId: deploymentId },
  };
  return (await call.must(deployment, 'POST', base, { body })).id;
}
