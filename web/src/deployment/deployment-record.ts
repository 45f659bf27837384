import type { Answer } from '../live/api.ts';

export type Deployment = Answer<'deployment.one'>;

/** What stands for one that nobody gave a title. */
const untitled = 'Manual deployment';

/** The commit's message where nobody gave a title. */
export const titleOf = ({ title, commitInfo }: Pick<Deployment, 'title' | 'commitInfo'>): string =>
  title === untitled && commitInfo && commitInfo.subject !== '' ? commitInfo.subject : title;

/** The one that ran before the newest that is live, to go back to; undefined where there is none. */
export const formerOf = (
  all: readonly Deployment[],
  live: Pick<Deployment, 'deploymentId' | 'createdAt'>,
): Deployment | undefined =>
  all
    .filter(
      ({ deploymentId, status, createdAt }) =>
        status === 'done' && deploymentId !== live.deploymentId && createdAt < live.createdAt,
    )
    .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))[0];

export const serviceOf = (deployment: Deployment): string =>
  deployment.applicationId ??
  deployment.databaseId ??
  deployment.composeId ??
  deployment.previewDeploymentId ??
  '';
