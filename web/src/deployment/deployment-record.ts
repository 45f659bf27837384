import type { Answer } from '../live/api.ts';

export type Deployment = Answer<'deployment.one'>;

export const serviceOf = (deployment: Deployment): string =>
  deployment.applicationId ??
  deployment.databaseId ??
  deployment.composeId ??
  deployment.previewDeploymentId ??
  '';
