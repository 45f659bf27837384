/**
 * Previews of a compose file with three services, from the first event to the last, on a real engine, proxy
 * and git; the git host is a server of the test's own that speaks Gitea's interface over https.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { makeCertificate } from '../../certificates/authority.ts';
import { acceptedToken, startGitHost, type GitHost } from '../../git-host/git-host.ts';
import {
  applicationFixture,
  docker,
  expectCalmLog,
  output,
  until,
  type ApplicationFixture,
} from '../fixtures/applications.ts';
import { berthHost, type DeploymentView } from '../fixtures/berth-host.ts';
import { tellOfPullRequest, webhookSecret } from '../fixtures/pull-request.ts';
import { createRepository, repositoriesFolder, type Repository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';

interface Preview {
  previewDeploymentId: string;
  domain: string;
  status: string;
  commit: string | null;
}

let shop: ApplicationFixture;
let gitHost: GitHost;
let folder: string;
let repository: Repository;
let composeId: string;
let refreshToken: string;

const start = 'echo "$GREETING" > /www/env; trap "exit 0" TERM; httpd -f -p 3000 -h /www & wait';
const composeFile = `
services:
  web:
    build: .
    environment: { GREETING: "\${GREETING:-nothing}" }
    ports: ["8088:3000"]
    depends_on: { redis: { condition: service_healthy }, seed: { condition: service_completed_successfully } }
  seed:
    image: berth/redis:7
    command: ["redis-cli", "-h", "redis", "set", "greeting", "hello"]
    depends_on: [redis]
  redis:
    image: berth/redis:7
    volumes: [data:/data]
    healthcheck: { test: [CMD, redis-cli, ping], interval: 1s, timeout: 2s, start_period: 10s }
volumes: { data: }
`;
const name = 'previewed-stack';

beforeAll(async () => {
  const bed = await bedOfRun();
  const certificate = makeCertificate({ name: 'git host', hosts: [bed.machineIp], isAuthority: true });
  // A host's /tmp is its own; this folder every host sees.
  folder = await mkdtemp('/var/tmp/berth-git-host-');
  const authority = join(folder, 'authority.pem');
  await writeFile(authority, certificate.pem);
  gitHost = await startGitHost({
    tls: { key: certificate.key, cert: certificate.pem },
    address: bed.machineIp,
    repository: `${repositoriesFolder.slice(1).split('/').at(-1)}/${name}`,
  });
  gitHost.writers.add('ada');
  const berth = await berthHost(bed, 'compose-previews', 41, {
    NODE_EXTRA_CA_CERTS: authority,
    BERTH_PREVIEW_WATCH_SECONDS: '1',
  });
  shop = await applicationFixture(berth, { buildsConcurrency: 4 });
  repository = await createRepository(berth.host, name, {
    ...tinyFiles('v0', { start }),
    'compose.yml': composeFile,
  });
  const link = await berth.call<{ gitProviderId: string }>('gitProvider.create', {
    provider: 'gitea',
    name: 'Ours',
    baseUrl: gitHost.url,
    accessToken: acceptedToken,
  });
  ({ composeId } = await berth.call<{ composeId: string }>('compose.create', {
    name,
    appName: name,
    environmentId: shop.environmentId,
  }));
  await berth.call('compose.update', {
    composeId,
    sourceType: 'git',
    customGitUrl: repository.url,
    customGitBranch: 'main',
    composePath: 'compose.yml',
    githubId: link.gitProviderId,
    webhookSecret,
    env: 'GREETING=production',
    isPreviewDeploymentsActive: true,
    previewWildcard: '*.stacks.localhost',
    previewEnv: 'GREETING=preview',
  });
  await berth.call('domain.create', {
    composeId,
    domainType: 'compose',
    serviceName: 'web',
    host: 'stack.localhost',
    port: 3000,
  });
  ({ refreshToken } = await berth.call<{ refreshToken: string }>('compose.one', { composeId }));
});
afterAll(async () => {
  await shop.berth.host.kill();
  await gitHost[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function tell(action: 'opened' | 'synchronized' | 'closed', commit: string): Promise<void> {
  if (action === 'closed') gitHost.open.delete(1);
  else gitHost.open.add(1);
  await tellOfPullRequest(shop.berth, refreshToken, {
    action,
    commit,
    branch: 'feature',
    repository: gitHost.repository,
    address: 'compose',
  });
}

const previews = (): Promise<Preview[]> => shop.berth.call<Preview[]>('previewDeployment.all', { composeId });
const host = `preview-${name}-1.stacks.localhost`;
const answer = async (path = '/'): Promise<string> => (await shop.berth.proxied(host, path)).body.trim();
const comments = (): string[] => [...gitHost.comments.values()].map(({ text }) => text);

async function running(commit: string): Promise<Preview> {
  const found = await until(
    'the preview runs',
    async () => {
      const [preview] = await previews();
      if (preview?.status === 'error') throw new Error((await logOf(preview)).join('\n'));
      return preview?.status === 'running' && preview.commit === commit ? preview : undefined;
    },
    240_000,
  );
  if (!found) throw new Error('There is no preview.');
  return found;
}

async function logOf({ previewDeploymentId }: Preview): Promise<string[]> {
  const [newest] = await shop.berth.call<DeploymentView[]>('deployment.all', {
    composeId: previewDeploymentId,
  });
  return shop.berth.log(newest?.deploymentId ?? '');
}

/** What the engine has of the compose service with this id. */
async function left(id: string): Promise<Record<string, number>> {
  const count = async (...argv: string[]): Promise<number> =>
    (await output(shop.berth.host, docker, ...argv, '--filter', `label=berth.compose=${id}`))
      .split('\n')
      .filter(Boolean).length;
  const networks = await output(shop.berth.host, docker, 'network', 'ls', '--format', '{{.Name}}');
  return {
    services: await count('service', 'ls', '--quiet'),
    containers: await count('ps', '--all', '--quiet'),
    images: await count('images', '--quiet'),
    volumes: await count('volume', 'ls', '--quiet'),
    networks: networks.split('\n').filter((network) => network.includes(id)).length,
  };
}

let id: string;

it('an opened pull request gets all services of the file, with the variables of previews alone', async () => {
  const first = await repository.commit({ 'www/index.html': 'one' }, 'feature');
  await tell('opened', first);
  const preview = await running(first);
  id = preview.previewDeploymentId;
  expect(preview.domain).toBe(`http://${host}`);
  expect(await answer()).toBe('one');
  expect(await answer('/env')).toBe('preview');
  expect((await logOf(preview)).join('\n')).toContain('A preview publishes no port of the server, so web');
  const { services, images, networks, volumes } = await left(id);
  // The service that runs once is gone when it has ended.
  expect({ services, images }).toEqual({ services: 2, images: 1 });
  expect(networks).toBeGreaterThan(0);
  expect(volumes).toBeGreaterThan(0);
  await until('the comment says that it runs', async () => comments()[0]?.includes('| running |'));
  expect(await left(composeId)).toMatchObject({ services: 0 });
});

it('a new commit runs in its place', async () => {
  const second = await repository.commit({ 'www/index.html': 'two' }, 'feature');
  await tell('synchronized', second);
  expect((await running(second)).previewDeploymentId).toBe(id);
  await until('the new version answers', async () => (await answer()) === 'two');
  await until('the comment names the commit', async () => comments()[0]?.includes(second.slice(0, 12)));
});

it('a closed pull request leaves nothing: no service, container, image, volume or network', async () => {
  await tell('closed', 'c'.repeat(40));
  await until('the preview is gone', async () => (await previews()).length === 0, 240_000);
  expect(await left(id)).toEqual({ services: 0, containers: 0, images: 0, volumes: 0, networks: 0 });
  expect((await shop.berth.proxied(host)).status).toBe(404);
  expect(await shop.berth.ask('compose.one', { composeId: id })).toMatchObject({ status: 404 });
  expect(comments()).toEqual([expect.stringContaining('| removed |')]);
});

it('nothing of all this was a fault', () => expectCalmLog(shop.berth, []));
