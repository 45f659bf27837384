/** Deployments of a GitHub that tests start: takes what its documents allow, and nothing else. */
import { z } from 'zod';

export interface HostedDeployment {
  id: number;
  sha: string;
  environment: string;
  isTransient: boolean;
  payload: unknown;
  /** In the order in which they came. */
  statuses: Record<string, unknown>[];
}

const deploymentForm = z.strictObject({
  ref: z.string().regex(/^[0-9a-f]{40}$/),
  auto_merge: z.literal(false),
  // Without an empty list GitHub refuses (409) a commit of which another check is under way.
  required_contexts: z.array(z.string()).max(0),
  environment: z.string().min(1).max(255),
  transient_environment: z.boolean(),
  payload: z.union([z.record(z.string(), z.unknown()), z.string()]),
});
const statusForm = z.strictObject({
  state: z.enum(['error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success']),
  description: z.string().max(140),
  log_url: z.url({ protocol: /^https?$/ }),
  environment_url: z.url({ protocol: /^https?$/ }).optional(),
});

/** Undefined for what the documents do not allow. */
export function addDeployment(all: HostedDeployment[], body: unknown): HostedDeployment | undefined {
  const { data } = deploymentForm.safeParse(body);
  if (!data) return undefined;
  const { ref, environment, transient_environment: isTransient, payload } = data;
  const added = { id: 501 + all.length, sha: ref, environment, isTransient, payload, statuses: [] };
  all.push(added);
  return added;
}

/** As GitHub: newest first, only those that bear all that the query names. */
export function listDeployments(all: readonly HostedDeployment[], query: URLSearchParams): unknown[] {
  const [size, page] = [Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1)];
  return all
    .filter(({ sha }) => (query.get('sha') ?? sha) === sha)
    .filter(({ environment }) => (query.get('environment') ?? environment) === environment)
    .toReversed()
    .slice(size * (page - 1), size * page)
    .map(({ id, sha, environment, payload }) => ({
      id,
      sha,
      ref: sha,
      task: 'deploy',
      environment,
      payload,
    }));
}

export function addStatus(all: readonly HostedDeployment[], id: string, body: unknown): object | undefined {
  const { data } = statusForm.safeParse(body);
  const deployment = all.find((each) => String(each.id) === id);
  if (!data || !deployment) return undefined;
  return { id: deployment.statuses.push(data) };
}
