/** Databases on a running Berth as a person would make, deploy and look at them. */
import type { DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import type { BerthHost, DeploymentView } from '../fixtures/berth-host.ts';
import { deploymentEnded } from '../fixtures/applications.ts';

export interface DatabaseFixture {
  readonly berth: BerthHost;
  readonly environmentId: string;
  readonly otherEnvironmentId: string;
  /** A database with the image that the bed has for its kind. */
  database(kind: DatabaseKindName, name: string, change?: Record<string, unknown>): Promise<Base>;
}

export interface DatabaseView extends Record<string, unknown> {
  appName: string;
  applicationStatus: string;
  databaseName?: string;
  databaseUser?: string;
  databasePassword: string;
  databaseRootPassword?: string;
  containerImage: string;
  externalPort: number | null;
  dataVersion: string | null;
  formerVolumes: { volumeName: string; dataVersion: string | null }[];
  connection: { internal: string; external: string | null };
  deployments: DeploymentView[];
}

export interface Base {
  readonly kind: DatabaseKindName;
  readonly id: string;
  /** Calls a procedure of its kind. */
  do<T = DatabaseView>(operation: string, input?: Record<string, unknown>): Promise<T>;
  /** The same, giving status and body whatever they are. */
  ask(operation: string, input?: Record<string, unknown>): Promise<{ status: number; body: unknown }>;
  view(): Promise<DatabaseView>;
  /** Begins a deployment and gives its id. */
  begin(operation?: 'deploy' | 'rebuild'): Promise<string>;
  /** Deploys and waits for the end, which must be `done`. */
  deploy(operation?: 'deploy' | 'rebuild'): Promise<DeploymentView>;
  ended(deploymentId: string, limitMs?: number): Promise<DeploymentView>;
  log(deploymentId: string): Promise<string>;
}

/** What the bed's images are called, and what each kind's record needs. */
export const bedKinds: Record<DatabaseKindName, { image: string; own: Record<string, unknown> }> = {
  postgres: { image: 'berth/postgres:15', own: { databaseName: 'shop', databaseUser: 'ann' } },
  mariadb: {
    image: 'berth/mariadb:10.11',
    own: { databaseName: 'shop', databaseUser: 'ann', databaseRootPassword: 'Root-1' },
  },
  mysql: {
    image: 'berth/mysql:9.7',
    own: { databaseName: 'shop', databaseUser: 'ann', databaseRootPassword: 'Root-1' },
  },
  mongo: { image: 'berth/mongo:7', own: { databaseUser: 'ann' } },
  redis: { image: 'berth/redis:7', own: {} },
};

export async function openDatabaseFixture(berth: BerthHost): Promise<DatabaseFixture> {
  const { project, environment } = await berth.call<{
    project: { projectId: string };
    environment: { environmentId: string };
  }>('project.create', { name: 'House' });
  const other = await berth.call<{ environmentId: string }>('environment.create', {
    name: 'other',
    projectId: project.projectId,
  });
  // The newer images are made on the host and in no registry.
  await berth.call('settings.update', { serverIp: berth.host.ip, sharedImages: ['berth/', 'newer/'] });
  return {
    berth,
    environmentId: environment.environmentId,
    otherEnvironmentId: other.environmentId,
    async database(kind, name, change = {}) {
      const { image, own } = bedKinds[kind];
      const input = {
        name,
        appName: name,
        ...own,
        databasePassword: 'Secret-1',
        environmentId: environment.environmentId,
        containerImage: image,
        ...change,
      };
      const created = await berth.call<Record<string, string>>(`${kind}.create`, input);
      return baseOf(berth, kind, created[`${kind}Id`] ?? '', name);
    },
  };
}

function baseOf(berth: BerthHost, kind: DatabaseKindName, id: string, name: string): Base {
  const subject = { [`${kind}Id`]: id };
  const base: Base = {
    kind,
    id,
    do: (operation, input = {}) => berth.call(`${kind}.${operation}`, { ...subject, ...input }),
    ask: (operation, input = {}) => berth.ask(`${kind}.${operation}`, { ...subject, ...input }),
    view: () => base.do('one'),
    async begin(operation = 'deploy') {
      await base.do(operation);
      return newest(await base.view()).deploymentId;
    },
    async deploy(operation) {
      const deployment = await base.ended(await base.begin(operation));
      if (deployment.status !== 'done')
        throw new Error(
          `${name}: ` +
            `${deployment.errorMessage ?? deployment.status}\n${await base.log(deployment.deploymentId)}`,
        );
      return deployment;
    },
    ended: (deploymentId, limitMs) => deploymentEnded(berth, name, deploymentId, limitMs),
    log: async (deploymentId) => (await berth.log(deploymentId)).join('\n'),
  };
  return base;
}

export function newest({ deployments }: DatabaseView): DeploymentView {
  const [deployment] = deployments;
  if (deployment === undefined) throw new Error('There is no deployment.');
  return deployment;
}
