/** What the interface can do and the dashboard does not: each procedure is used, or stands here with why. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { procedureKinds } from '../../client/procedure-kinds.ts';

const sources = join(import.meta.dirname, '../../web/src');
const databases = ['postgres', 'mysql', 'mariadb', 'mongo', 'redis'];

/** Why the dashboard has no use for them. A name ending in `.*` stands for a router. */
const unused: Record<string, string> = {
  'application.cancelDeployment':
    'of cloud installations; killBuild and cleanQueues end what is queued or builds',
  'compose.redeploy': 'deploy does the same for a file that is stored; of a repository the newest is wanted',
  'deployment.logLines': 'the page of a deployment streams its log whole',
  'deployment.readLogs': 'the stream gives the same lines, live',
  'backup.runs': 'runsByDatabase shows those of every schedule together',
  'backup.one': 'byDatabase has the same fields',
  'backup.runLogs': 'a run shows its steps',
  'application.uploadedChunks': 'for berth deploy, which sends only what changed',
  'webhook.one': 'webhook.all has the same fields',
  'application.scale': 'the form of settings sets replicas, in effect at the next deploy',
  'backup.all': 'byDatabase shows the schedules of a database, runsByDatabase their runs',
  'backup.restore': 'restoreBackupWithLogs shows each step as it happens',
  'volumeBackup.all': 'byService shows those of a service',
  'volumeBackup.runs': 'runsByService shows those of every schedule together',
  'deployment.latest': 'deployment.all has the newest of everything',
  'metrics.prometheus': 'for Prometheus, not for people',
  'container.getContainersByAppNameMatch': 'getContainers shows all; a service shows its own tasks',
  'container.getContainersByAppLabel': 'getContainers shows all',
  'container.getStackContainersByAppName': 'getContainers shows all',
  'container.getServiceContainersByAppName': 'getContainers shows all',
  'server.setTrusted': 'names a server of another organization, which has no page for its people',
  'server.getServerMetrics': 'wants a token that nobody may read',
  'sshKey.makePair': 'generate stores the pair, so that the private key never leaves the server',
  'registry.test': 'create and update try the sign-in',
  'environment.byProjectId': 'project.one has its environments',
  'previewDeployment.one': 'all has the same fields',
};

/** Of records that a list shows whole, and of databases what `saveEnvironment` and the frame do for all. */
const rules: readonly [RegExp, string][] = [
  [
    /^(port|redirect|basicAuth|mount|sshKey|gitProvider|registry|templateCatalogue|certificate|certificateResolver|destination|certificateOrder|dnsProvider|notification|logDrain|schedule|volumeBackup|compat)\.one$/,
    'the list has the same fields',
  ],
  [/\.readLogs$/, 'the stream gives the same lines, live'],
  [/^(postgres|mysql|mariadb|mongo|redis)\.remove$/, 'DeleteService chooses between remove and delete'],
  [/\.changeStatus$/, 'the engine tells the condition; a status set by hand would lie'],
];

async function usedNames(): Promise<Set<string>> {
  const files = (await readdir(sources, { recursive: true })).filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(sources, file), 'utf8')));
  return new Set(
    texts.flatMap((text) => [
      ...[...text.matchAll(/['"]([a-zA-Z]+\.[a-zA-Z]+)['"]/g)].map(([, name]) => name ?? ''),
      // Of a kind that is only known when it runs.
      ...[...text.matchAll(/procedureOf\([^\n]*?'([a-zA-Z]+)'\)/g)].map(([, name]) => `*.${name}`),
      ...[...text.matchAll(/\$\{(?:row\.)?kind\}\.([a-zA-Z]+)/g)].map(([, name]) => `*.${name}`),
      ...[...text.matchAll(/(?:run|act)\((?:'[^']*', )?'([a-zA-Z]+)'/g)].map(([, name]) => `*.${name}`),
    ]),
  );
}

it('every procedure is used, or the table says why not', async () => {
  const used = await usedNames();
  const missing = Object.entries(procedureKinds).flatMap(([router, kinds]) =>
    Object.keys(kinds)
      .map((name) => `${router}.${name}`)
      .filter((path) => {
        const name = path.slice(router.length + 1);
        const ofKind = router === 'application' || router === 'compose' || databases.includes(router);
        return !(
          used.has(path) ||
          (ofKind && used.has(`*.${name}`)) ||
          path in unused ||
          rules.some(([pattern]) => pattern.test(path))
        );
      }),
  );
  expect(missing).toEqual([]);
});
