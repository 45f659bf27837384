import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export interface GitProviderStore extends TableStore<'git_provider'> {
  /** How many of each kind of thing name the link. */
  uses(gitProviderId: string): Promise<Record<string, number>>;
}

export function createGitProviderStore(database: Database): GitProviderStore {
  const { builder } = database;
  const count = (table: 'application' | 'compose') =>
    builder
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('githubId', '=', '')
      .compile();
  const uses = { application: count('application'), 'compose service': count('compose') };
  return {
    ...tableStore(database, 'git_provider'),
    async uses(gitProviderId) {
      const counts: Record<string, number> = {};
      for (const [noun, query] of Object.entries(uses))
        counts[noun] = Number((await database.run(query, [gitProviderId]))[0]?.count ?? 0);
      return counts;
    },
  };
}
