import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptedToken, startGitHost, type GitHost } from '../../../../test/git-host/git-host.ts';
import type { GitProvider } from '../../domain/git/git-host.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { systemClock } from '../../ports/clock.ts';
import type { CommitState, GitApi, GitApiAccess } from '../../ports/git-api.ts';
import { homeOutgoing } from '../../../../test/integration/git/outgoing-fixture.ts';
import { createGitApis } from './git-apis.ts';

let host: GitHost;
beforeEach(async () => {
  host = await startGitHost();
});
afterEach(() => host[Symbol.asyncDispose]());

const app = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const token = { kind: 'token', token: new Secret(acceptedToken) } as const;
const ofApp = {
  kind: 'app',
  appId: '4242',
  installationId: '77',
  privateKey: new Secret(app.privateKey),
} as const;

interface Row {
  provider: GitProvider;
  path: string;
  credential: GitApiAccess['credential'];
  account: string;
  /** How the host knows who may write. */
  writer: { id: string; name: string; by: string };
}

const rows: Row[] = [
  {
    provider: 'github',
    path: '/api/v3',
    credential: ofApp,
    account: 'an installation with 1 repositories',
    writer: { id: '9', name: 'ada', by: 'ada' },
  },
  {
    provider: 'gitea',
    path: '/api/v1',
    credential: token,
    account: 'berth',
    writer: { id: '9', name: 'ada', by: 'ada' },
  },
  {
    provider: 'gitlab',
    path: '/api/v4',
    credential: token,
    account: 'project_1_bot',
    writer: { id: '9', name: '9', by: '9' },
  },
  {
    provider: 'bitbucket',
    path: '/2.0',
    credential: token,
    account: 'acme',
    writer: { id: '{9-a}', name: 'ada', by: '{9-a}' },
  },
];

function connected({ provider, path, credential }: Row): GitApi {
  host.appPublicKey = app.publicKey;
  return createGitApis(systemClock, homeOutgoing).connect({
    organizationId: 'o1',
    provider,
    apiUrl: `${host.url}${path}`,
    credential,
    workspace: 'acme',
  });
}

describe.each(rows)('$provider', (row) => {
  it('tells its account, repositories and branches', async () => {
    const api = connected(row);
    expect(await api.account()).toBe(row.account);
    expect(await api.repositories()).toEqual([
      { fullName: 'acme/shop', defaultBranch: 'main', isPrivate: true },
    ]);
    expect(await api.branches('acme/shop')).toEqual(['main', 'feature']);
    await expect(api.branches('acme/other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await api.token()).reveal()).toBe(acceptedToken);
  });

  it('tells who may write', async () => {
    const api = connected(row);
    host.writers.add(row.writer.by);
    expect(await api.canWrite('acme/shop', row.writer)).toBe(true);
    expect(await api.canWrite('acme/shop', { id: '10', name: 'eve' })).toBe(false);
    expect(await api.canWrite('acme/other', row.writer)).toBe(false);
  });

  it('tells whether a pull request is open', async () => {
    const api = connected(row);
    host.open.add(12);
    expect(await api.pullRequest('acme/shop', 12)).toEqual({ isOpen: true });
    expect(await api.pullRequest('acme/shop', 13)).toEqual({ isOpen: false });
    expect(await api.pullRequest('acme/other', 12)).toBeUndefined();
  });

  it('tells of a pull request what its event would', async () => {
    const api = connected(row);
    host.open.add(12);
    host.pullRequests.set(12, { author: { id: 10, name: 'eve' }, isFork: true, labels: ['demo'] });
    const isBitbucket = row.provider === 'bitbucket';
    const byId = { gitlab: '10', bitbucket: '{10}' };
    const id = row.provider === 'gitlab' || row.provider === 'bitbucket' ? byId[row.provider] : '10';
    expect(await api.pullRequestEvent('acme/shop', 12)).toEqual({
      kind: 'pullRequest',
      action: 'open',
      number: 12,
      title: 'Add a door',
      baseBranch: 'main',
      headBranch: 'door',
      commit: 'a'.repeat(isBitbucket ? 12 : 40),
      isFork: true,
      labels: isBitbucket ? [] : ['demo'],
      author: { id, name: row.provider === 'gitlab' ? '10' : 'eve' },
      repository: 'acme/shop',
    });
    expect(await api.pullRequestEvent('acme/shop', 13)).toMatchObject({ action: 'close', isFork: false });
    expect(await api.pullRequestEvent('acme/other', 12)).toBeUndefined();
  });

  it('writes what became of a commit in the form of the host', async () => {
    const api = connected(row);
    const commit = 'c'.repeat(40);
    const of = { context: `berth/${'shop'.repeat(20)}`, description: 'Failed: exit code 1' };
    for (const state of ['pending', 'success', 'failure', 'cancelled'] as const)
      await api.setStatus('acme/shop', commit, { ...of, state, targetUrl: 'https://shop.example.com/' });
    const words = {
      github: ['pending', 'success', 'failure', 'error'],
      gitea: ['pending', 'success', 'failure', 'error'],
      gitlab: ['running', 'success', 'failed', 'canceled'],
      bitbucket: ['INPROGRESS', 'SUCCESSFUL', 'FAILED', 'STOPPED'],
    };
    expect(host.statuses.map(({ body }) => body['state'])).toEqual(words[row.provider]);
    expect(new Set(host.statuses.map((status) => status.commit))).toEqual(new Set([commit]));
    await expect(
      api.setStatus('acme/other', commit, { ...of, state: 'success', targetUrl: 'https://a.example.com/' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('writes a comment once, finds it and edits it in place', async () => {
    const api = connected(row);
    expect(await api.findComment('acme/shop', 12, 'a mark')).toBeUndefined();
    const id = await api.addComment('acme/shop', 12, 'first <!-- a mark -->');
    expect(await api.findComment('acme/shop', 12, 'a mark')).toBe(id);
    expect(await api.findComment('acme/shop', 13, 'a mark')).toBeUndefined();
    expect(await api.editComment('acme/shop', 12, id, 'second')).toBe(true);
    expect([...host.comments.values()]).toEqual([{ number: 12, text: 'second', edits: 1 }]);
    expect(await api.editComment('acme/shop', 12, '999999', 'third')).toBe(false);
  });

  it('gives whole commits', async () => {
    expect(await connected(row).fullCommit('acme/shop', 'a'.repeat(40))).toBe('a'.repeat(40));
    expect(await connected(row).fullCommit('acme/shop', 'abcdef123456')).toBe(
      row.provider === 'bitbucket' ? 'abcdef123456'.padEnd(40, '0') : 'abcdef123456',
    );
  });

  it('says what is wrong, and never the credential', async () => {
    const refused = connected({ ...row, credential: { kind: 'token', token: new Secret('wrong-token') } });
    await expect(refused.account()).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.not.stringContaining('wrong-token'),
    });
    for (const [status, code] of [
      [500, 'SERVICE_UNAVAILABLE'],
      [429, 'SERVICE_UNAVAILABLE'],
      [403, 'PRECONDITION_FAILED'],
      [422, 'PRECONDITION_FAILED'],
    ] as const) {
      host.failing = status;
      await expect(connected(row).branches('acme/shop')).rejects.toMatchObject({ code });
    }
    const nowhere = createGitApis(systemClock, homeOutgoing).connect({
      organizationId: 'o1',
      provider: row.provider,
      apiUrl: 'http://127.0.0.1:1',
      credential: token,
      workspace: 'acme',
    });
    await expect(nowhere.canWrite('acme/shop', row.writer)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});

it('GitHub gets one deployment of each of ours, with all that becomes of it', async () => {
  const [github] = rows;
  if (!github) throw new Error('The first row is of GitHub.');
  const api = connected(github);
  const commit = 'd'.repeat(40);
  const logUrl = 'https://berth.example.com/deployments/d1';
  const address = 'https://shop.example.com/';
  const told = { environment: 'acme/production/shop & co', isTransient: false, description: 'x', logUrl };
  const tell = (deploymentId: string, state: CommitState, environmentUrl?: string) =>
    api.setDeployment?.('acme/shop', commit, { ...told, deploymentId, state, environmentUrl });
  host.deployments.push({
    id: 7,
    sha: commit,
    environment: told.environment,
    isTransient: false,
    statuses: [],
    payload: 'of somebody else',
  });
  for (const state of ['pending', 'failure'] as const) await tell('d1', state);
  await tell('d2', 'pending');
  await tell('d2', 'success', address);
  await tell('d3', 'cancelled');
  const status = (state: string) => ({ state, description: 'x', log_url: logUrl });
  expect(host.deployments.map(({ payload, statuses }) => [payload, statuses])).toEqual([
    ['of somebody else', []],
    [{ berthDeploymentId: 'd1' }, [status('in_progress'), status('failure')]],
    [
      { berthDeploymentId: 'd2' },
      [status('in_progress'), { ...status('success'), environment_url: address }],
    ],
    [{ berthDeploymentId: 'd3' }, [status('error')]],
  ]);
  expect(new Set(host.deployments.map((each) => each.environment))).toEqual(new Set([told.environment]));
  expect(rows.slice(1).map((row) => connected(row).setDeployment)).toEqual([undefined, undefined, undefined]);
});

it('finds its deployment behind more than a page of others', async () => {
  const [github] = rows;
  if (!github) throw new Error('The first row is of GitHub.');
  const api = connected(github);
  const commit = 'e'.repeat(40);
  const logUrl = 'https://berth.example.com/deployments/d1';
  const told = {
    environment: 'a/b/c',
    isTransient: true,
    description: '',
    logUrl,
    environmentUrl: undefined,
  };
  for (let number = 0; number <= 100; number += 1)
    await api.setDeployment?.('acme/shop', commit, { ...told, deploymentId: `d${number}`, state: 'pending' });
  await api.setDeployment?.('acme/shop', commit, { ...told, deploymentId: 'd0', state: 'success' });
  expect(host.deployments).toHaveLength(101);
  expect(host.deployments[0]).toMatchObject({
    isTransient: true,
    statuses: [{ state: 'in_progress' }, { state: 'success' }],
  });
});

it('a GitHub App signs for a token once for many requests, with its own key alone', async () => {
  const [github] = rows;
  if (!github) throw new Error('The first row is of GitHub.');
  const api = connected(github);
  await api.branches('acme/shop');
  await api.account();
  expect(host.asked.filter((line) => line.includes('access_tokens'))).toHaveLength(1);
  const stranger = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await expect(
    connected({ ...github, credential: { ...ofApp, privateKey: new Secret(stranger.privateKey) } }).account(),
  ).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
});
