/** Thirty services of all kinds from another server of the family, as its published interface has them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runBerth, type Ran } from '../command-line.ts';
import { fillFamily } from './family-shop.ts';
import { startFamilyServer, type FamilyServer } from './family-server.ts';

let family: FamilyServer;
let folder: string;

beforeAll(async () => {
  family = await startFamilyServer();
  folder = await mkdtemp(join(tmpdir(), 'berth-family-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await family[Symbol.asyncDispose]();
});

const berth = (line: string): Promise<Ran> =>
  runBerth(line.split(' '), {
    environment: { HOME: folder, BERTH_IMPORT_KEY: family.key },
    folder,
  });

it('takes thirty services with their lists, says what it could not take', async () => {
  await fillFamily(family);
  const ran = await berth(`import dokploy Shop --from ${family.url} --destination backups --name Moved`);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.said).toContain('30 services taken into berth.yml.');
  const notes = ran.said.split('\n').filter((line) => line.startsWith('· '));
  const aboutDatabases = notes.filter((note) => /its data is not|it gets a new password/.test(note));
  expect(aboutDatabases).toHaveLength(2 * 14 + 1);
  expect(notes.filter((note) => !aboutDatabases.includes(note)).toSorted()).toEqual([
    '· from-hub: githubId refers to something in the other installation and was left out.',
    '· lite: there are no databases of the kind libsql here; it was left out.',
    '· stack: the script of the schedule tidy was left out; put it into the image.',
    '· web: 1 of security were left out.',
    '· web: healthCheckSwarm was left out; here it has a field of its own.',
    '· web: middlewares of Shop.example.com was left out.',
    '· web: the folder /srv of the server was left out.',
  ]);
  const command = ['sh', '-c', 'node clean.js && echo done'];
  expect(parse(await readFile(join(folder, 'berth.yml'), 'utf8'))).toMatchObject({
    variables: { REGION: 'eu' },
    environments: {
      production: {
        services: {
          web: {
            containerImage: 'registry.example.com/web:1',
            variables: { NAME: 'web' },
            domains: [
              { host: 'Shop.example.com', port: 3000, https: true, certificateType: 'acme' },
              { host: 'old.example.com', path: '/api', stripPath: true },
            ],
            mounts: [{ mountPath: '/uploads', type: 'volume', volumeName: 'up' }],
            ports: [{ publishedPort: 8443, targetPort: 443, publishMode: 'host' }],
            redirects: [{ regex: '^/a$', replacement: '/b', permanent: true }],
            schedules: [{ name: 'clean', cron: '0 4 * * *', timeZone: 'Europe/Berlin', command }],
          },
          'from-hub': { sourceType: 'github', repository: 'api', owner: 'shop' },
          'postgres-1': { containerImage: 'postgres:1', backups: [{ destinationId: 'backups' }] },
        },
      },
      staging: {
        services: {
          stack: { domains: [{ host: 'stack.example.com', port: 80, serviceName: 'a' }] },
          mail: { composeType: 'stack' },
        },
      },
    },
  });
});
