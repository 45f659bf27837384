/** What a development Berth holds at its start, made through the interface as a person would. */
import { createClient, type Client } from '../../client/client.ts';
import { signUp } from '../../client/sign-in.ts';
import { apiImage, failingImage, redisImage, webImage } from './images.ts';

export const owner = { name: 'Ada', email: 'ada@example.com', password: 'development' };

/** Creates the first user, a project with services of each kind, and deploys those whose images are here. */
export async function seed(url: string): Promise<void> {
  const client = createClient(await signUp({ url, ...owner }));
  const { settings } = client;
  await settings.update({ sharedImages: ['demo/', redisImage] });
  const { environment } = await client.project.create({
    name: 'Shop',
    description: 'Seeded by npm run dev',
  });
  const { environmentId } = environment;
  await seedApplications(client, environmentId);
  await seedDatabases(client, environmentId);
  await seedCompose(client, environmentId);
  await client.organization.invite({ email: 'grace@example.com', role: 'member' });
}

async function seedApplications(client: Client, environmentId: string): Promise<void> {
  const web = await client.application.create({ name: 'web', environmentId });
  await client.application.saveContainerProvider({
    applicationId: web.applicationId,
    containerImage: webImage,
  });
  await client.application.saveEnvironment({
    applicationId: web.applicationId,
    env: 'LOG_LEVEL=info\nPUBLIC_URL=http://shop.localhost',
  });
  await client.domain.create({ applicationId: web.applicationId, host: 'shop.localhost', port: 3000 });
  await client.application.deploy({ applicationId: web.applicationId });
  const broken = await client.application.create({ name: 'checkout', environmentId });
  await client.application.saveContainerProvider({
    applicationId: broken.applicationId,
    containerImage: failingImage,
  });
  await client.application.deploy({ applicationId: broken.applicationId });
  const site = await client.application.create({ name: 'site', environmentId });
  await client.application.saveGitProvider({
    applicationId: site.applicationId,
    customGitUrl: 'https://git.example.com/shop/site.git',
    customGitBranch: 'main',
  });
}

async function seedDatabases(client: Client, environmentId: string): Promise<void> {
  const cache = await client.redis.create({
    name: 'cache',
    appName: 'shop-cache',
    environmentId,
    databasePassword: 'development',
    containerImage: redisImage,
  });
  await client.redis.deploy({ redisId: cache.redisId });
  await client.postgres.create({
    name: 'orders',
    appName: 'shop-orders',
    environmentId,
    databaseName: 'orders',
    databaseUser: 'orders',
    databasePassword: 'development',
  });
}

const composeFile = `services:
  api:
    image: ${apiImage}
    ports: []
    depends_on: [worker]
  worker:
    image: demo/worker:1
`;

async function seedCompose(client: Client, environmentId: string): Promise<void> {
  const stack = await client.compose.create({ name: 'back office', environmentId, composeFile });
  await client.compose.deploy({ composeId: stack.composeId });
}
