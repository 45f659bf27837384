/** The life of a preview: a pull request is opened, gets commits, a bad one too, and is closed. */
import { throughProxy, type DeploymentView } from '../fixtures/berth-host.ts';
import { tellOfPullRequest, webhookSecret, type PullRequestEvent } from '../fixtures/pull-request.ts';
import { createRepository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import { deploymentEnded, quickCheck, until } from '../fixtures/applications.ts';
import { mustBeDone, mustFail, type Life, type Place } from './life.ts';

interface Preview {
  previewDeploymentId: string;
  domain: string;
}

const branch = 'feature';

export async function preview(place: Place): Promise<Life> {
  const { berth, serverId, environmentId, host } = place;
  const name = `${place.name}-seen`;
  const repository = await createRepository(berth.host, name, tinyFiles('main'));
  const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name,
    appName: name,
    environmentId,
    serverId,
  });
  const subject = { applicationId };
  const { refreshToken } = await berth.call<{ refreshToken: string }>('application.one', subject);
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
  const tell = (action: PullRequestEvent['action'], commit: string): Promise<void> =>
    tellOfPullRequest(berth, refreshToken, { action, commit, branch, repository: `git/${name}` });
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
