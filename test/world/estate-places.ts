/** The organization itself, its projects and their environments. */
import { of, type Estate, type Rows } from './estate.ts';
import { later, type Own } from './estate-times.ts';

export function placeRows(estate: Estate, own: Own): Rows {
  const environment = {
    ...own,
    projectId: of(estate, 'projectId'),
    description: '',
    env: '',
    isDefault: false,
    networkIndex: null,
  };
  return {
    organization: [{ ...own, name: estate.prefix, requireTwoFactor: false, trusted: false }],
    project: [
      {
        ...own,
        revision: 0,
        projectId: of(estate, 'projectId'),
        name: 'Shop',
        description: 'The shop',
        env: 'REGION=eu',
      },
      {
        ...own,
        createdAt: later,
        revision: 0,
        projectId: of(estate, 'emptyProjectId'),
        name: 'Empty',
        description: '',
        env: '',
      },
      {
        ...own,
        createdAt: later,
        revision: 0,
        projectId: of(estate, 'remoteProjectId'),
        name: 'Remote',
        description: '',
        env: '',
      },
    ],
    environment: [
      {
        ...environment,
        revision: 0,
        environmentId: of(estate, 'environmentId'),
        name: 'production',
        env: 'LOG=info',
        isDefault: true,
      },
      {
        ...environment,
        revision: 0,
        createdAt: later,
        environmentId: of(estate, 'otherEnvironmentId'),
        name: 'staging',
        env: 'LOG=debug',
      },
      {
        ...environment,
        revision: 0,
        projectId: of(estate, 'emptyProjectId'),
        environmentId: of(estate, 'emptyEnvironmentId'),
        name: 'production',
        isDefault: true,
      },
    ],
  };
}
