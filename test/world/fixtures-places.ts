/** The projects of an organization and their environments. */
import { of, type Fixtures, type Rows } from './fixtures.ts';
import { later, type Own } from './fixtures-times.ts';

export function placeRows(fixtures: Fixtures, own: Own): Rows {
  const project = { ...own, revision: 0, baseDomain: null };
  return {
    project: [
      {
        ...project,
        projectId: of(fixtures, 'projectId'),
        name: 'Shop',
        description: 'The shop',
        env: 'REGION=eu',
      },
      {
        ...project,
        createdAt: later,
        projectId: of(fixtures, 'emptyProjectId'),
        name: 'Empty',
        description: '',
        env: '',
      },
      {
        ...project,
        createdAt: later,
        projectId: of(fixtures, 'remoteProjectId'),
        name: 'Remote',
        description: '',
        env: '',
      },
    ],
    environment: environmentRows(fixtures, own),
  };
}

function environmentRows(fixtures: Fixtures, own: Own): NonNullable<Rows['environment']> {
  const environment = {
    revision: 0,
    ...own,
    projectId: of(fixtures, 'projectId'),
    description: '',
    env: '',
    isDefault: false,
    networkIndex: null,
  };
  return [
    {
      ...environment,
      environmentId: of(fixtures, 'environmentId'),
      name: 'production',
      env: 'LOG=info',
      isDefault: true,
    },
    {
      ...environment,
      createdAt: later,
      environmentId: of(fixtures, 'otherEnvironmentId'),
      name: 'staging',
      env: 'LOG=debug',
    },
    {
      ...environment,
      projectId: of(fixtures, 'emptyProjectId'),
      environmentId: of(fixtures, 'emptyEnvironmentId'),
      name: 'production',
      isDefault: true,
    },
  ];
}
