/**
 * The installation that is measured: one organization, 1,000 services, one of them with everything that hangs
 * on an application.
 */
import { noDomainRules } from '../server/src/modules/domain/route-rules.ts';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stores } from '../server/src/composition/stores.ts';
import { writeSnapshot } from '../server/src/deploy/snapshot.ts';
import type { TableRecord } from '../server/src/db/tables.ts';
import { newApplication } from '../server/src/modules/application/defaults.ts';
import { settingsOf } from '../server/src/deploy/inputs/application-inputs.ts';
import { randomId, systemClock } from '../server/src/ports/clock.ts';
import { fill } from './fill.ts';
import { plainDeployment } from '../test/world/plain-deployment.ts';

export interface Installation {
  apiKey: string;
  email: string;
  password: string;
  /** The application with deployments, domain, port and mount. */
  applicationId: string;
  /** Applications of an image, ready to be deployed. */
  deployable: string[];
}

export const serviceCount = 1000;
const deploymentCount = 10;

export async function fillInstallation(data: string, databaseUrl?: string): Promise<Installation> {
  const {
    apiKey,
    email,
    password,
    made: [applicationId = '', ...deployable],
  } = await fill(data, insertServices, databaseUrl);
  return { apiKey, email, password, applicationId, deployable };
}

/** The same database file and key for the baseline. */
export async function copyInstallation(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of ['berth.sqlite', 'berth.key']) await copyFile(join(from, name), join(to, name));
}

async function insertServices(stores: Stores, organizationId: string): Promise<string[]> {
  const createdAt = new Date(systemClock.now()).toISOString();
  const projectId = randomId();
  const environmentId = randomId();
  await stores.projects.insert({
    projectId,
    organizationId,
    name: 'shop',
    description: '',
    env: 'REGION=eu',
    baseDomain: null,
    createdAt,
  });
  await stores.environments.insert({
    environmentId,
    organizationId,
    projectId,
    name: 'production',
    description: '',
    env: 'LOG=info',
    isDefault: true,
    networkIndex: 1,
    createdAt,
  });
  const ids: string[] = [];
  for (let index = 0; index < serviceCount; index += 1) {
    const applicationId = randomId();
    const application = newApplication({
      applicationId,
      organizationId,
      environmentId,
      name: `service ${index}`,
      appName: `service-${index}`,
      description: 'One of many',
      refreshToken: randomId(32),
      createdAt,
    });
    await stores.applications.insert({
      ...application,
      sourceType: 'container',
      containerImage: 'berth/none:1',
      memoryLimit: '512m',
      cpuLimit: '0.5',
      env: 'DATABASE_URL=postgres://shop:secret@db/shop\nPORT=3000\nFEATURE_A=on\n',
    });
    ids.push(applicationId);
  }
  await hangOn(stores, { organizationId, applicationId: ids[0] ?? '', createdAt });
  return ids;
}

interface Owner {
  organizationId: string;
  applicationId: string;
  createdAt: string;
}

/** What an application has: a domain, a port, a mount, its deployments. */
async function hangOn(stores: Stores, owner: Owner): Promise<void> {
  const { applicationId } = owner;
  await stores.domains.insert(domainOf(owner));
  await stores.ports.insert({
    ...owner,
    portId: randomId(),
    publishedPort: 8443,
    targetPort: 3000,
    protocol: 'tcp',
    publishMode: 'host',
    serverKey: 'local',
  });
  await stores.mounts.insert({
    ...owner,
    isSecret: false,
    mountId: randomId(),
    type: 'volume',
    hostPath: null,
    approval: null,
    volumeName: 'data',
    filePath: null,
    content: null,
    mountPath: '/data',
    serviceType: 'application',
    databaseId: null,
    composeId: null,
  });
  const application = await stores.applications.find({ applicationId });
  if (!application) throw new Error('The application is not there.');
  for (let sequence = 1; sequence <= deploymentCount; sequence += 1) {
    const deploymentId = randomId();
    await stores.deployments.insert(deploymentOf(application, deploymentId, sequence));
    if (sequence === deploymentCount)
      await stores.applications.update(
        { applicationId },
        { liveDeploymentId: deploymentId, applicationStatus: 'done', releasedAppName: application.appName },
      );
  }
}

function domainOf(owner: Owner): TableRecord<'domain'> {
  return {
    ...owner,
    domainId: randomId(),
    host: 'shop.example.com',
    asciiHost: 'shop.example.com',
    path: '/',
    port: 3000,
    ownPort: 3000,
    https: false,
    certificateType: 'none',
    customCertResolver: null,
    composeId: null,
    serviceName: null,
    domainType: 'application',
    previewDeploymentId: null,
    internalPath: '/',
    stripPath: false,
    hstsMaxAge: null,
    requestHeaders: {},
    maxBodyBytes: null,
    ...noDomainRules,
    uniqueConfigKey: 1,
    serverKey: 'local',
  };
}

function deploymentOf(
  application: TableRecord<'application'>,
  deploymentId: string,
  sequence: number,
): TableRecord<'deployment'> {
  const { organizationId, applicationId, createdAt } = application;
  const image = `berth/app:${sequence}`;
  return {
    ...plainDeployment,
    organizationId,
    applicationId,
    createdAt,
    deploymentId,
    title: 'Manual deployment',
    stage: 'prune',
    commit: 'a'.repeat(40),
    image,
    settings: snapshotOf(application, deploymentId, image),
    startedAt: createdAt,
    healthyAt: createdAt,
    finishedAt: createdAt,
    sequence,
  };
}

/** The settings it was released with, as the deployment keeps them. */
function snapshotOf(application: TableRecord<'application'>, release: string, image: string): string {
  return writeSnapshot({
    settings: settingsOf(application),
    variables: {},
    parts: {},
    registryId: null,
    spec: {
      name: application.appName,
      image,
      labels: { applicationId: application.applicationId },
      release,
      env: application.env.trim().split('\n'),
      networks: ['n'],
      replicas: 1,
      limits: {},
      reservations: {},
      mounts: [],
      files: [],
      ports: [],
      updateOrder: 'start-first',
      monitorMs: 5000,
      stopGracePeriodMs: 10_000,
      constraints: [],
    },
  });
}
