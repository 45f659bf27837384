/** Gitea and Forgejo, API v1 (docs.gitea.com/api). */
import { z } from 'zod';
import { allPages } from './call.ts';
import { likeGithub, repositories, repositoryOf } from './github.ts';
import type { Row } from './row.ts';

/** Pages of Gitea have 50 at most unless its operator allows more. */
const size = 50;
const user = z.object({ login: z.string() });

export const gitea: Row = {
  headers: {},
  api: (call) => ({
    ...likeGithub(call, { name: 'limit', size }),
    account: async () => (await call.must(user, 'GET', '/user')).login,
    repositories: async () =>
      (
        await allPages(size, (page) =>
          call.must(repositories, 'GET', `/user/repos?limit=${size}&page=${page}`),
        )
      ).map(repositoryOf),
  }),
};
