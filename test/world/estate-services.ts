/** The services of an estate: two applications, a compose service, a database of each kind. */
import type { TableRecord } from '../../server/src/db/tables.ts';
import { databaseKindNames, type DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import { newApplication } from '../../server/src/modules/application/defaults.ts';
import { neverRan } from '../../server/src/modules/database/database.ts';
import { hiddenTexts, of, type Estate, type Rows } from './estate.ts';
import { createdAt, later, type Own } from './estate-times.ts';
import { plainCompose } from './plain-compose.ts';

export function serviceRows(estate: Estate, own: Own, number: number): Rows {
  const place = { ...own, environmentId: of(estate, 'environmentId'), description: '' };
  return {
    application: applications(estate, place),
    deployment: [failedDeployment(estate, own, number)],
    compose: [stack(estate, place)],
    database: databaseKindNames.map((kind) => database(estate, place, kind)),
    service_name: serviceNames(estate),
  };
}

interface Place extends Own {
  environmentId: string;
  description: string;
}

function applications(estate: Estate, place: Place): TableRecord<'application'>[] {
  const application = newApplication({
    ...place,
    applicationId: of(estate, 'applicationId'),
    name: 'web',
    appName: of(estate, 'appName'),
    refreshToken: `${estate.prefix}-token-application`,
  });
  const other = newApplication({
    ...place,
    createdAt: later,
    applicationId: of(estate, 'otherApplicationId'),
    name: 'worker',
    appName: of(estate, 'otherAppName'),
    refreshToken: `${estate.prefix}-token-other`,
  });
  return [
    {
      ...application,
      sourceType: 'container',
      containerImage: 'berth/none:1',
      username: 'puller',
      password: hiddenTexts.imagePassword,
      customGitPassword: hiddenTexts.gitPassword,
      webhookSecret: hiddenTexts.webhookSecret,
      previewWildcard: `*.${estate.prefix}.example.com`,
    },
    { ...other, sourceType: 'git', customGitUrl: 'https://127.0.0.1:1/none.git', customGitBranch: 'main' },
  ];
}

function failedDeployment(estate: Estate, own: Own, number: number): TableRecord<'deployment'> {
  return {
    ...own,
    deploymentId: of(estate, 'deploymentId'),
    applicationId: of(estate, 'applicationId'),
    databaseId: null,
    composeId: null,
    previewDeploymentId: null,
    kind: 'deploy',
    title: 'Manual deployment',
    description: '',
    status: 'error',
    stage: 'build',
    commit: null,
    image: null,
    errorMessage: 'The build failed.',
    settings: null,
    sourceDeploymentId: null,
    startedBy: null,
    stages: null,
    child: null,
    previousVersion: null,
    withoutCache: false,
    moveFrom: null,
    moveTo: null,
    startedAt: createdAt,
    healthyAt: null,
    finishedAt: createdAt,
    sequence: number + 1,
  };
}

function stack(estate: Estate, place: Place): TableRecord<'compose'> {
  return {
    ...plainCompose,
    ...place,
    composeId: of(estate, 'composeId'),
    name: 'stack',
    appName: of(estate, 'composeAppName'),
    composeFile: 'services:\n  web:\n    image: berth/none:1\n',
    composePath: 'compose.yaml',
    refreshToken: `${estate.prefix}-token-compose`,
    autoDeploy: true,
    customGitPassword: hiddenTexts.gitPassword,
    webhookSecret: hiddenTexts.webhookSecret,
  };
}

function database(estate: Estate, place: Place, kind: DatabaseKindName): TableRecord<'database'> {
  return {
    ...place,
    databaseId: of(estate, `${kind}Id`),
    revision: 0,
    kind,
    name: kind,
    appName: of(estate, `${kind}AppName`),
    databaseName: kind === 'mongo' || kind === 'redis' ? null : 'shop',
    databaseUser: kind === 'redis' ? null : 'shop',
    databasePassword: 'readable-password',
    databaseRootPassword: kind === 'mariadb' || kind === 'mysql' ? 'readable-root-password' : null,
    containerImage: `${kind}:8`,
    replicaSets: false,
    serverId: null,
    applicationStatus: 'idle',
    memoryLimit: null,
    memoryReservation: null,
    cpuLimit: null,
    cpuReservation: null,
    command: null,
    args: [],
    env: '',
    externalPort: null,
    ...neverRan(of(estate, `${kind}Id`)),
  };
}

function serviceNames(estate: Estate): TableRecord<'service_name'>[] {
  const names = [
    ['applicationId', 'appName'],
    ['otherApplicationId', 'otherAppName'],
    ['composeId', 'composeAppName'],
    ...databaseKindNames.map((kind) => [`${kind}Id`, `${kind}AppName`]),
  ];
  return names.map(([idName = '', appName = '']) => ({
    nameKey: of(estate, appName).toLowerCase(),
    serviceId: of(estate, idName),
    isStem: idName === 'composeId',
  }));
}
