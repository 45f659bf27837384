/** The organization itself, its projects and their environments. */
import { of, type Estate, type Rows } from './estate.ts';
import { later, type Own } from './estate-times.ts';

export function placeRows(estate: Estate, own: Own): Rows {
  const project = { ...own, revision: 0 };
  return {
    organization: [{ ...own, name: estate.prefix, requireTwoFactor: false, trusted: false }],
    project: [
      {
        ...project,
        projectId: of(estate, 'projectId'),
        name: 'Shop',
        description: 'The shop',
        env: 'REGION=eu',
      },
      {
        ...project,
        createdAt: later,
        projectId: of(estate, 'emptyProjectId'),
        name: 'Empty',
        description: '',
        env: '',
      },
      {
        ...project,
        createdAt: later,
        projectId: of(estate, 'remoteProjectId'),
        name: 'Remote',
        description: '',
        env: '',
      },
    ],
    environment: environmentRows(estate, own),
  };
}

function environmentRows(estate: Estate, own: Own): NonNullable<Rows['environment']> {
  const environment = {
    revision: 0,
    ...own,
    projectId: of(estate, 'projectId'),
    description: '',
    env: '',
    isDefault: false,
    networkIndex: null,
  };
  return [
    {
      ...environment,
      environmentId: of(estate, 'environmentId'),
      name: 'production',
      env: 'LOG=info',
      isDefault: true,
    },
    {
      ...environment,
      createdAt: later,
      environmentId: of(estate, 'otherEnvironmentId'),
      name: 'staging',
      env: 'LOG=debug',
    },
    {
      ...environment,
      projectId: of(estate, 'emptyProjectId'),
      environmentId: of(estate, 'emptyEnvironmentId'),
      name: 'production',
      isDefault: true,
    },
  ];
}
