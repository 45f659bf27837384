/** The interfaces of git hosts: one row per provider. */
import type { GitProvider } from '../../domain/git/git-host.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GitApis } from '../../ports/git-api.ts';
import type { Outgoing } from '../../ports/outgoing.ts';
import { appOfManifest } from './app-manifest.ts';
import { createAppTokens } from './app-token.ts';
import { bitbucket } from './bitbucket.ts';
import { createCall, type CallTarget } from './call.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { Row } from './row.ts';

const rows: Record<GitProvider, Row> = { github, gitlab, gitea, bitbucket };

export function createGitApis(
  clock: Clock,
  outgoing: Pick<Outgoing, 'request'>,
  /** Where Apps are made. */
  githubApi = 'https://api.github.com',
): GitApis {
  const appToken = createAppTokens(clock);
  return {
    appOfManifest: (organizationId, code) =>
      appOfManifest({ apiUrl: githubApi, outgoing, by: { organizationId } }, code),
    connect(access) {
      const { provider, apiUrl, credential, organizationId } = access;
      const target: CallTarget = { apiUrl, outgoing, by: { organizationId } };
      const row = rows[provider];
      const token = async () =>
        credential.kind === 'token' ? credential.token : appToken(target, credential);
      return { ...row.api(createCall(target, row.headers, token), access), token };
    },
  };
}
