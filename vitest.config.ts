/** What vitest needs to know of each ground that the projects of test/run/projects.ts stand on. */
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { systemVariable } from './test/bed/host/systems.ts';
import { isQuick } from './test/run/mode.ts';
import { projects, longerStores, type Ground, type Project } from './test/run/projects.ts';
import { filesOfOtherRuns } from './test/run/rotation.ts';

const everywhere = ['**/node_modules/**', '**/dist/**', 'example/**', ...filesOfOtherRuns()];
const minutes = (count: number): number => count * 60_000;
/**
 * No test changes what modules hold, so files of a worker share them: reading our modules anew for each file
 * is half of the time otherwise.
 */
const shared = {
  isolate: false,
  // Of a failure often only its first line is kept: it says what was found, not that it was an array of one.
  chaiConfig: { truncateThreshold: 2000 },
};
/** Real engines on two cores: one file after another, long limits, and one bed for all. */
const onTheBed = {
  ...shared,
  fileParallelism: false,
  testTimeout: minutes(5),
  hookTimeout: minutes(15),
  globalSetup: ['test/bed/global-setup.ts'],
};

const grounds: Record<Exclude<Ground, 'types'>, NonNullable<UserWorkspaceConfig['test']>> = {
  modules: {
    pool: 'threads',
    ...shared,
    testTimeout: minutes(5),
    hookTimeout: minutes(5),
  },
  database: {
    ...shared,
    testTimeout: minutes(2),
    hookTimeout: minutes(3),
    globalSetup: ['test/store/sqlite-setup.ts', 'test/store/postgres-setup.ts'],
    // In threads, as the other quick ones: both kinds share what a worker has read.
    ...(isQuick() && { pool: 'threads' as const, globalSetup: ['test/store/sqlite-setup.ts'] }),
  },
  // One file after another: one of them measures memory and all of them time.
  program: { ...shared, fileParallelism: false, testTimeout: minutes(10), hookTimeout: minutes(5) },
  bed: onTheBed,
  servers: { ...onTheBed, globalSetup: [...onTheBed.globalSetup, 'test/bed/servers-setup.ts'] },
};

export default defineConfig({
  test: {
    // Vitest's own second is shorter than a pause of a busy machine.
    expect: { poll: { timeout: minutes(1) } },
    projects: Object.entries<Project>(projects).flatMap(
      ([name, { on, files, without = [], setup, system }]) =>
        on === 'types'
          ? []
          : [
              {
                test: {
                  name,
                  include: [...files],
                  exclude: [...everywhere, ...without, ...(isQuick() ? longerStores : [])],
                  ...grounds[on],
                  ...(system && { env: { [systemVariable]: system } }),
                  ...(setup && { globalSetup: [grounds[on].globalSetup ?? [], setup].flat() }),
                },
              },
            ],
    ),
  },
});
