/** Five projects: what needs nothing, what needs a database, what needs the test bed, what sets bare machines up, what needs the whole product. */
import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const everywhere = ['**/node_modules/**', '**/dist/**', 'example/**'];
const beyondUnit = ['**/*.store.test.ts', 'test/integration/**', 'test/e2e/**'];
const bedSetup = 'test/bed/global-setup.ts';
const machines = ['test/e2e/up.e2e.test.ts', 'test/e2e/upgrade.e2e.test.ts', 'test/e2e/systemd.e2e.test.ts'];
const minutes = (count: number): number => count * 60_000;
/** Real engines on two cores: one file after another, long limits, and one shared bed. */
const onTheBed = { fileParallelism: false, testTimeout: minutes(5), hookTimeout: minutes(15), globalSetup: existsSync(bedSetup) ? [bedSetup] : [] };

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['**/*.test.ts'], exclude: [...everywhere, ...beyondUnit], pool: 'threads', testTimeout: 10_000 } },
      { test: { name: 'store', include: ['**/*.store.test.ts'], exclude: everywhere, testTimeout: 30_000, hookTimeout: minutes(3) } },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], exclude: everywhere, ...onTheBed } },
      { test: { name: 'machine', include: machines, exclude: everywhere, ...onTheBed } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.e2e.test.ts'], exclude: [...everywhere, ...machines], ...onTheBed } },
    ],
  },
});
