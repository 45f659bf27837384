/** The projects: what needs nothing, what needs a database, the whole interface against the started program, what needs an engine, what needs the proxy; and the whole product: on bare machines, over upgrades, with databases, under releases, under faults and under hostile input. */
import { defineConfig } from 'vitest/config';

const everywhere = ['**/node_modules/**', '**/dist/**', 'example/**'];
const beyondUnit = ['**/*.store.test.ts', '**/*.interface.test.ts', 'test/integration/**', 'test/e2e/**'];
const bedSetup = ['test/bed/global-setup.ts'];
const withServers = [...bedSetup, 'test/bed/servers-setup.ts'];
/** Which projects the whole product is tested in, by file; what none of them names is in "input". */
const product = {
  machine: ['up', 'systemd'],
  upgrade: ['upgrade', 'restore'],
  databases: ['databases'],
  backups: ['backup'],
  releases: ['deploy', 'rolling'],
  faults: ['crash', 'isolation'],
} as const;
const proxyFiles = ['test/integration/proxy*.test.ts', 'test/e2e/domains.e2e.test.ts'];
const e2e = (names: readonly string[]): string[] => names.map((name) => `test/e2e/${name}.e2e.test.ts`);
const minutes = (count: number): number => count * 60_000;
/** No test changes what modules hold, so files of a worker share them: reading our modules anew for each file is half of the time otherwise. */
const shared = { isolate: false };
/** Real engines on two cores: one file after another, long limits, and one shared bed. */
const onTheBed = { exclude: everywhere, fileParallelism: false, testTimeout: minutes(5), hookTimeout: minutes(15), globalSetup: bedSetup };

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['**/*.test.ts'], exclude: [...everywhere, ...beyondUnit], pool: 'threads', ...shared, testTimeout: 10_000 } },
      { test: { name: 'store', include: ['**/*.store.test.ts'], exclude: everywhere, ...shared, testTimeout: 30_000, hookTimeout: minutes(3), globalSetup: ['test/store/postgres-setup.ts'] } },
      // One file after another: one of them measures memory and all of them time.
      { test: { name: 'interface', include: ['test/**/*.interface.test.ts'], exclude: everywhere, fileParallelism: false, testTimeout: minutes(5), hookTimeout: minutes(3) } },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...onTheBed, exclude: [...everywhere, ...proxyFiles], globalSetup: withServers } },
      { test: { name: 'proxy', include: proxyFiles, ...onTheBed, globalSetup: withServers } },
      ...Object.entries(product).map(([name, files]) => ({ test: { name, include: e2e(files), ...onTheBed } })),
      { test: { name: 'input', include: ['test/e2e/**/*.e2e.test.ts'], ...onTheBed, exclude: [...everywhere, ...proxyFiles, ...e2e(Object.values(product).flat())] } },
    ],
  },
});
