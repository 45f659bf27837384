import type { TableRecord } from '../../server/src/db/tables.ts';

/** A deployment that ended well and left nothing behind, without what makes it this one. */
export const plainDeployment: Omit<
  TableRecord<'deployment'>,
  'deploymentId' | 'organizationId' | 'createdAt'
> = {
  applicationId: null,
  databaseId: null,
  composeId: null,
  previewDeploymentId: null,
  kind: 'deploy',
  title: '',
  description: '',
  status: 'done',
  stage: null,
  commit: null,
  pushedCommit: null,
  commitInfo: null,
  ownBuild: null,
  sourceApplications: null,
  image: null,
  errorMessage: null,
  settings: null,
  sourceDeploymentId: null,
  startedBy: null,
  stages: null,
  child: null,
  previousVersion: null,
  withoutCache: false,
  moveFrom: null,
  moveTo: null,
  startedAt: null,
  healthyAt: null,
  finishedAt: null,
  sequence: 1,
};
