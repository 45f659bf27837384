/** The services of the fixtures: two applications, a compose service, a database of each kind. */
import type { TableRecord } from '../../server/src/db/tables.ts';
import { databaseKindNames, type DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import { newApplication } from '../../server/src/modules/application/defaults.ts';
import { neverRan } from '../../server/src/modules/database/database.ts';
import { hiddenTexts, of, type Fixtures, type Rows } from './fixtures.ts';
import { createdAt, later, type Own } from './fixtures-times.ts';
import { plainCompose } from './plain-compose.ts';
import { plainDeployment } from './plain-deployment.ts';

export function serviceRows(fixtures: Fixtures, own: Own, number: number): Rows {
  const place = { ...own, environmentId: of(fixtures, 'environmentId'), description: '' };
  return {
    application: applications(fixtures, place),
    deployment: [failedDeployment(fixtures, own, number)],
    compose: [stack(fixtures, place)],
    database: databaseKindNames.map((kind) => database(fixtures, place, kind)),
    service_name: serviceNames(fixtures),
  };
}

interface Place extends Own {
  environmentId: string;
  description: string;
}

function applications(fixtures: Fixtures, place: Place): TableRecord<'application'>[] {
  const application = newApplication({
    ...place,
    applicationId: of(fixtures, 'applicationId'),
    name: 'web',
    appName: of(fixtures, 'appName'),
    refreshToken: `${fixtures.prefix}-token-application`,
  });
  const other = newApplication({
    ...place,
    createdAt: later,
    applicationId: of(fixtures, 'otherApplicationId'),
    name: 'worker',
    appName: of(fixtures, 'otherAppName'),
    refreshToken: `${fixtures.prefix}-token-other`,
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
      previewWildcard: `*.${fixtures.prefix}.example.com`,
    },
    { ...other, sourceType: 'git', customGitUrl: 'https://127.0.0.1:1/none.git', customGitBranch: 'main' },
  ];
}

function failedDeployment(fixtures: Fixtures, own: Own, number: number): TableRecord<'deployment'> {
  return {
    ...plainDeployment,
    ...own,
    deploymentId: of(fixtures, 'deploymentId'),
    applicationId: of(fixtures, 'applicationId'),
    title: 'Manual deployment',
    status: 'error',
    stage: 'build',
    errorMessage: 'The build failed.',
    startedAt: createdAt,
    finishedAt: createdAt,
    sequence: number + 1,
  };
}

function stack(fixtures: Fixtures, place: Place): TableRecord<'compose'> {
  return {
    ...plainCompose,
    ...place,
    composeId: of(fixtures, 'composeId'),
    name: 'stack',
    appName: of(fixtures, 'composeAppName'),
    composeFile: 'services:\n  web:\n    image: berth/none:1\n',
    composePath: 'compose.yaml',
    refreshToken: `${fixtures.prefix}-token-compose`,
    autoDeploy: true,
    customGitPassword: hiddenTexts.gitPassword,
    webhookSecret: hiddenTexts.webhookSecret,
  };
}

function database(fixtures: Fixtures, place: Place, kind: DatabaseKindName): TableRecord<'database'> {
  return {
    ...place,
    databaseId: of(fixtures, `${kind}Id`),
    revision: 0,
    kind,
    name: kind,
    appName: of(fixtures, `${kind}AppName`),
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
    pidsLimit: null,
    command: null,
    args: [],
    env: '',
    externalPort: null,
    ...neverRan(of(fixtures, `${kind}Id`)),
  };
}

function serviceNames(fixtures: Fixtures): TableRecord<'service_name'>[] {
  const names = [
    ['applicationId', 'appName'],
    ['otherApplicationId', 'otherAppName'],
    ['composeId', 'composeAppName'],
    ...databaseKindNames.map((kind) => [`${kind}Id`, `${kind}AppName`]),
  ];
  return names.map(([idName = '', appName = '']) => ({
    nameKey: of(fixtures, appName).toLowerCase(),
    serviceId: of(fixtures, idName),
    isStem: idName === 'composeId',
  }));
}
