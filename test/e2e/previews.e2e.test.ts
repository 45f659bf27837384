/**
 * Previews of pull requests from the first event to the last, on a real engine, proxy and git; the git host
 * is a server of the test's own that speaks Gitea's interface over https.
 */
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { makeCertificate } from '../certificates/authority.ts';
import { acceptedToken, startGitHost, type GitHost } from '../git-host/git-host.ts';
import { berthHost, type DeploymentView } from './fixtures/berth-host.ts';
import { expectAllAnswered, startLoad } from './fixtures/load.ts';
import { repositoriesFolder } from './fixtures/repository.ts';
import { tinyFiles } from './fixtures/sources.ts';
import {
  docker,
  expectCalmLog,
  applicationFixture,
  output,
  until,
  type ApplicationFixture,
} from './fixtures/applications.ts';

interface Preview {
  previewDeploymentId: string;
  pullRequestNumber: number;
  domain: string;
  status: string;
  commit: string | null;
  isTrusted: boolean;
}

let shop: ApplicationFixture;
let app: Awaited<ReturnType<ApplicationFixture['fromFiles']>>;
let gitHost: GitHost;
let folder: string;
let refreshToken: string;

const secret = 'sesame';
const start =
  'echo "$GREETING $BERTH_PREVIEW_URL" > /www/env; trap "exit 0" TERM; httpd -f -p 3000 -h /www & wait';

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
    repository: `${repositoriesFolder.slice(1).split('/').at(-1)}/previewed`,
  });
  shop = await applicationFixture(
    await berthHost(bed, 'previews', 34, {
      NODE_EXTRA_CA_CERTS: authority,
      BERTH_PREVIEW_WATCH_SECONDS: '1',
    }),
    { buildsConcurrency: 4 },
  );
  const link = await shop.berth.call<{ gitProviderId: string }>('gitProvider.create', {
    provider: 'gitea',
    name: 'Ours',
    baseUrl: gitHost.url,
    accessToken: acceptedToken,
  });
  app = await shop.fromFiles('previewed', tinyFiles('v0', { start }), {
    settings: {
      githubId: link.gitProviderId,
      webhookSecret: secret,
      isPreviewDeploymentsActive: true,
      previewWildcard: '*.previews.localhost',
      previewLimit: 2,
      env: 'GREETING=production',
      previewEnv: 'GREETING=hello',
    },
  });
  refreshToken = (await app.do<{ refreshToken: string }>('application.one')).refreshToken;
  gitHost.writers.add('ada');
});
afterAll(async () => {
  await shop.berth.host.kill();
  await gitHost[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

interface Told {
  action: 'opened' | 'synchronized' | 'closed';
  number: number;
  commit: string;
  login?: string;
  isFork?: boolean;
}

/** One event as Gitea sends it. */
async function tell({ action, number, commit, login = 'ada', isFork = false }: Told): Promise<unknown> {
  if (action === 'closed') gitHost.open.delete(number);
  else gitHost.open.add(number);
  const body = JSON.stringify({
    action,
    number,
    repository: { full_name: gitHost.repository },
    pull_request: {
      number,
      title: `Change ${number}`,
      user: { id: 9, login },
      labels: [],
      base: { ref: 'main', repo: { full_name: gitHost.repository } },
      head: {
        ref: `feature-${number}`,
        sha: commit,
        repo: { full_name: isFork ? 'eve/previewed' : gitHost.repository },
      },
    },
  });
  const response = await fetch(`${shop.berth.url}/api/deploy/gitea/${refreshToken}`, {
    method: 'POST',
    body,
    signal: AbortSignal.timeout(10_000),
    headers: {
      'content-type': 'application/json',
      'x-gitea-event': 'pull_request',
      'x-gitea-delivery': `${number}-${action}-${commit}`,
      'x-gitea-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
  });
  return response.json();
}

const previews = (): Promise<Preview[]> =>
  shop.berth.call<Preview[]>('previewDeployment.all', { applicationId: app.id });
const previewOf = async (number: number): Promise<Preview | undefined> =>
  (await previews()).find(({ pullRequestNumber }) => pullRequestNumber === number);
const hostOf = (number: number): string => `preview-previewed-${number}.previews.localhost`;
const answer = async (number: number, path = '/'): Promise<string> =>
  (await shop.berth.proxied(hostOf(number), path)).body.trim();
const commit = (version: string, branch: string): Promise<string> =>
  app.repository.commit({ 'www/index.html': version }, branch);
const commentsOn = (number: number) =>
  [...gitHost.comments.values()].filter((comment) => comment.number === number);

async function running(number: number, ofCommit: string): Promise<Preview> {
  return until(
    `the preview ${number} runs`,
    async () => {
      const preview = await previewOf(number);
      if (preview?.status === 'error') throw new Error((await logOf(preview)).join('\n'));
      return preview?.status === 'running' && preview.commit === ofCommit ? preview : undefined;
    },
    60_000,
  ).then((preview) => preview ?? Promise.reject(new Error('There is no preview.')));
}

async function logOf({ previewDeploymentId }: Preview): Promise<string[]> {
  const [newest] = await shop.berth.call<DeploymentView[]>('deployment.all', { previewDeploymentId });
  return shop.berth.log(newest?.deploymentId ?? '');
}

/** What the engine has of a preview, and of all previews. */
async function left(label: string): Promise<Record<string, number>> {
  const count = async (...argv: string[]): Promise<number> =>
    (await output(shop.berth.host, docker, ...argv, '--filter', `label=${label}`)).split('\n').filter(Boolean)
      .length;
  return {
    services: await count('service', 'ls', '--quiet'),
    // Containers that are no preview's bear the label empty, so that no image can fill it.
    containers: await count('ps', '--all', '--format', `{{.Label "${label}"}}`),
    images: await count('images', '--quiet'),
    volumes: await count('volume', 'ls', '--quiet'),
  };
}

const nothing = { services: 0, containers: 0, images: 0, volumes: 0 };
let first: string;

it('the git host is reached with the token of its link', async () => {
  const { githubId: gitProviderId } = await app.do<{ githubId: string }>('application.one');
  expect(await shop.berth.call('gitProvider.testConnection', { gitProviderId })).toEqual({
    success: true,
    account: 'berth',
  });
});

it(
  'an opened pull request is built and answers through the proxy, with the variables of previews alone; ' +
    'a table on it says so',
  async () => {
    first = await commit('one', 'feature-1');
    expect(await tell({ action: 'opened', number: 1, commit: first })).toEqual({ queued: true });
    expect(await tell({ action: 'opened', number: 1, commit: first })).toEqual({ duplicate: true });
    const preview = await running(1, first);
    expect(preview.domain).toBe(`http://${hostOf(1)}`);
    expect(await answer(1)).toBe('one');
    expect(await answer(1, '/env')).toBe(`hello http://${hostOf(1)}`);
    expect((await logOf(preview)).join('\n')).toMatch(
      /Fetching .*commit [0-9a-f]{40}[\s\S]*── Building with dockerfile[\s\S]*It is released at http:\/\//,
    );
    await until('the comment says that it runs', async () => commentsOn(1)[0]?.text.includes('| running |'));
  },
);

it('a new commit answers without a failed request, and the comment is edited where it stands', async () => {
  const second = await commit('two', 'feature-1');
  const load = startLoad({ ip: shop.berth.host.ip, hostName: hostOf(1), path: '/', perSecond: 50 });
  await tell({ action: 'synchronized', number: 1, commit: second });
  await running(1, second);
  await wait(500);
  const { answers } = await expectAllAnswered('preview', load);
  expect(Object.keys(answers)).toEqual(['one', 'two']);
  await until(
    'the comment names the commit',
    async () =>
      commentsOn(1)[0]?.text.includes(second.slice(0, 12)) && commentsOn(1)[0]?.text.includes('| running |'),
  );
  expect(commentsOn(1)).toHaveLength(1);
});

it('a preview is stopped and started by hand, and the comment says so', async () => {
  const { previewDeploymentId = '' } = (await previewOf(1)) ?? {};
  const byHand = (operation: 'start' | 'stop'): Promise<unknown> =>
    shop.berth.call(`previewDeployment.${operation}`, { previewDeploymentId });
  expect(await byHand('stop')).toMatchObject({ status: 'stopped' });
  expect((await shop.berth.proxied(hostOf(1))).status).toBe(503);
  await until('the comment says it', async () => commentsOn(1)[0]?.text.includes('| stopped |'));
  expect(await byHand('start')).toMatchObject({ status: 'running' });
  await until('it answers again', async () => (await shop.berth.proxied(hostOf(1))).status === 200);
  await until('the comment says that too', async () => commentsOn(1)[0]?.text.includes('| running |'));
});

it('no more previews than previewLimit; a closed one leaves nothing; a kill forgets no close', async () => {
  await app.do('mount.create', { type: 'volume', volumeName: 'data', mountPath: '/data' });
  const other = await commit('other', 'feature-2');
  await tell({ action: 'opened', number: 2, commit: other });
  await until('the second preview is made', () => previewOf(2));
  await tell({ action: 'opened', number: 3, commit: other });
  await until('a comment tells of the limit', async () =>
    commentsOn(3)[0]?.text.includes('2 previews are already running'),
  );
  const { previewDeploymentId } = await running(2, other);
  expect(await previewOf(3)).toBeUndefined();
  expect(await left(`berth.preview=${previewDeploymentId}`)).toMatchObject({
    services: 1,
    images: 1,
    volumes: 1,
  });

  await tell({ action: 'closed', number: 2, commit: other });
  await shop.berth.kill();
  await shop.berth.start();
  await until('the preview is gone', async () => (await previewOf(2)) === undefined);
  expect(await left(`berth.preview=${previewDeploymentId}`)).toEqual(nothing);
  expect((await shop.berth.proxied(hostOf(2))).status).toBe(404);
  expect(await shop.berth.ask('previewDeployment.one', { previewDeploymentId })).toMatchObject({
    status: 404,
  });
  expect(commentsOn(2)).toEqual([expect.objectContaining({ text: expect.stringContaining('| removed |') })]);
  expect(await answer(1)).toBe('two');
});

it(
  "a close that nobody told of is found out; a stranger's fork gets no secrets, and its build outlives " +
    'a killed Berth',
  async () => {
    gitHost.open.delete(1);
    await until('the preview is gone', async () => (await previewOf(1)) === undefined);
    expect(await left('berth.preview')).toEqual(nothing);

    await app.do('application.update', { previewRequireCollaboratorPermissions: false });
    const strange = await commit('strange', 'feature-4');
    await tell({ action: 'opened', number: 4, commit: strange, login: 'eve', isFork: true });
    const { previewDeploymentId } = (await until('the preview is made', () => previewOf(4))) ?? {
      previewDeploymentId: '',
    };
    await until(
      'its build is under way',
      async () =>
        (await shop.berth.call<DeploymentView[]>('deployment.all', { previewDeploymentId }))[0]?.stage ===
        'build',
      30_000,
      100,
    );
    await shop.berth.kill();
    await shop.berth.start();
    expect(await running(4, strange)).toMatchObject({ isTrusted: false });
    expect(await answer(4)).toBe('strange');
    expect(await answer(4, '/env')).toBe(`http://${hostOf(4)}`);
  },
);

it('the application takes its previews with it', async () => {
  await app.do('application.delete', { deleteVolumes: true });
  expect(await left('berth.preview')).toEqual(nothing);
  expect((await shop.berth.proxied(hostOf(4))).status).toBe(404);
});

it('nothing of all this was a fault', () => expectCalmLog(shop.berth, []));
