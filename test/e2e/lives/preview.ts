/** The life of a preview: a pull request is opened, gets commits, a bad one too, and is closed. */
import { createHmac } from 'node:crypto';
import { throughProxy, type DeploymentView } from '../fixtures/berth-host.ts';
import { createRepository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import { deploymentEnded, quickCheck, until } from '../fixtures/workshop.ts';
import { mustBeDone, mustFail, type Life, type Place } from './life.ts';

interface Preview {
  previewDeploymentId: string;
  domain: string;
}

const webhookSecret = 'sesame';
const number = 1;
const branch = 'feature';

export async function preview(place: Place): Promise<Life> {
  const { berth, serverId, environmentId, host } = place;
  const name = `${place.name}-seen`;
  const repository = await createRepository(berth.host, name, tinyFiles('main'));
  const { applicationId, refreshToken } = await berth.call<Record<'applicationId' | 'refreshToken', string>>(
    'application.create',
    { name, appName: name, environmentId, serverId },
  );
  const subject = { applicationId };
  await berth.call('application.saveGitProvider', {
    ...subject,
    customGitUrl: repository.url,
    customGitBranch: 'main',
  });
  await berth.call('application.saveBuildType', { ...subject, buildType: 'dockerfile' });
  await berth.call('application.update', {
    ...subject,
    webhookSecret,
    healthCheck: quickCheck,
    isPreviewDeploymentsActive: true,
    // There is no git host that knows who may write.
    previewRequireCollaboratorPermissions: false,
    previewWildcard: `*.${name}.localhost`,
  });
  const tell = (action: 'opened' | 'synchronized' | 'closed', commit: string): Promise<unknown> =>
    event(place, refreshToken, { action, commit, repository: `git/${name}` });
  const all = (): Promise<Preview[]> => berth.call<Preview[]>('previewDeployment.all', subject);
  let commit = '';
  let made: Preview | undefined;

  /** Commits these words and gives how the deployment of them ended. */
  async function deployed(action: 'opened' | 'synchronized', files: Parameters<typeof repository.commit>[0]) {
    commit = await repository.commit(files, branch);
    await tell(action, commit);
    const own = await until(`a deployment of ${commit}`, async () => {
      made = (await all())[0];
      if (!made) return undefined;
      const { previewDeploymentId } = made;
      const list = await berth.call<DeploymentView[]>('deployment.all', { previewDeploymentId });
      return list.find((one) => one.commit === commit);
    });
    return deploymentEnded(berth, name, own?.deploymentId ?? '', 240_000);
  }

  return {
    get label() {
      return `berth.preview=${made?.previewDeploymentId ?? ''}`;
    },
    deploy: async () => void (await mustBeDone(berth, await deployed('opened', tinyFiles('first')))),
    async answer() {
      if (!made) return undefined;
      const answer = await throughProxy(host.ip, new URL(made.domain).hostname).catch(() => undefined);
      return answer?.status === 200 ? answer.body.trim() : undefined;
    },
    async change() {
      await mustBeDone(berth, await deployed('synchronized', tinyFiles('second')));
      return 'second';
    },
    fail: async () =>
      mustFail(await deployed('synchronized', { start: '#!/bin/busybox sh\necho nothing; exit 3\n' })),
    async remove() {
      await tell('closed', commit);
      await until('the preview is gone', async () => (await all()).length === 0, 120_000);
      await berth.call('application.delete', subject);
    },
  };
}

/** One event as Gitea sends it. */
async function event(
  { berth, name }: Place,
  refreshToken: string,
  { action, commit, repository }: Record<'action' | 'commit' | 'repository', string>,
): Promise<void> {
  const body = JSON.stringify({
    action,
    number,
    repository: { full_name: repository },
    pull_request: {
      number,
      title: 'Change',
      user: { id: 9, login: 'ada' },
      labels: [],
      base: { ref: 'main', repo: { full_name: repository } },
      head: { ref: branch, sha: commit, repo: { full_name: repository } },
    },
  });
  const response = await fetch(`${berth.url}/api/deploy/gitea/${refreshToken}`, {
    method: 'POST',
    body,
    signal: AbortSignal.timeout(30_000),
    headers: {
      'content-type': 'application/json',
      'x-gitea-event': 'pull_request',
      'x-gitea-delivery': `${name}-${action}-${commit}`,
      'x-gitea-signature': createHmac('sha256', webhookSecret).update(body).digest('hex'),
    },
  });
  const said = await response.text();
  if (!said.includes('"queued":true')) throw new Error(`The event was answered ${response.status} ${said}`);
}
