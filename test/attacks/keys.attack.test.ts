/**
 * A narrowed key reads what it does not name; whatever can be tested tells what listens in the private
 * network.
 */
import { createServer as createWebServer } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { newName } from './support/deployments.ts';
import { sharedHost, type Attacked } from './support/fixture.ts';

const loot = 'for-people-who-may-read-secrets';
const table = attackTable('narrowed keys and probes');
const { machineIp } = inject('bed');
/** Of another machine in the private network. */
const neighbour = createWebServer((_, response) => void response.writeHead(403).end());
let openPort = 0;
let world: Attacked;

beforeAll(async () => {
  await new Promise<void>((resolve) => neighbour.listen(0, machineIp, resolve));
  const address = neighbour.address();
  openPort = typeof address === 'object' && address !== null ? address.port : 0;
  world = await sharedHost(await bedOfRun());
});
afterAll(() => void neighbour.close());

/** Nobody listens there: it was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, machineIp, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const attacks: Readonly<Record<string, (world: Attacked) => Promise<Outcome>>> = {
  'a key for reading applications reads their secrets': async ({ tenant }) => {
    const { owner, environmentId } = tenant;
    const name = newName();
    const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
    const applicationId = textOf(made, 'applicationId');
    await valueOf(owner('application.saveEnvironment', { applicationId, env: `A=${loot}` }));
    const key = await tenant.narrowed({ application: ['read'] });
    const { text } = await key('application.one', { applicationId });
    return { succeeded: text.includes(loot), said: /"env":"[^"]*"/.exec(text)?.[0] ?? text };
  },
  'a registry that is tested tells which ports of the private network are open': ({ tenant }) =>
    probe(async (address) => {
      const signIn = { registryUrl: address, username: 'a', password: 'b' };
      return (await tenant.owner('registry.test', signIn)).text;
    }),
  'a destination that is tested tells it': ({ tenant }) =>
    probe(async (address) => {
      const keys = {
        provider: 's3',
        accessKey: 'a',
        secretAccessKey: 'b',
        bucket: 'backups',
        region: 'here',
      };
      const given = { ...keys, endpoint: `http://${address}`, path: '' };
      return (await tenant.owner('destination.testConnection', given)).text;
    }),
  'a git host that is tested tells it': ({ tenant }) =>
    probe(async (address) => {
      const link = { provider: 'gitea', name: 'Ours', accessToken: 'a', baseUrl: `https://${address}` };
      const made = await tenant.owner('gitProvider.create', link);
      if (made.status !== 200) return made.text;
      const gitProviderId = textOf(made.body, 'gitProviderId');
      return (await tenant.owner('gitProvider.testConnection', { gitProviderId })).text;
    }),
};

/** Whether what is said of an open port differs from what is said of a closed one. */
async function probe(ask: (address: string) => Promise<string>): Promise<Outcome> {
  const said = async (port: number): Promise<string> =>
    (await ask(`${machineIp}:${port}`)).replaceAll(String(port), 'PORT');
  const [open, closed] = [await said(openPort), await said(await closedPort())];
  return { succeeded: open !== closed, said: open };
}

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run(world))).toMatchObject({ succeeded: false });
  });
});

describe.runIf(leavesOutWall(import.meta.url))(
  'with keys as wide as their users, and addresses that nobody judges',
  () => {
    beforeAll(async () => {
      await world.berth.stop();
      await world.berth.start({}, `${project}/test/attacks/without/narrowed-keys.ts`);
    });

    it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
      expect(await table.note(attack, 'left out', run(world))).toMatchObject({ succeeded: true });
    });
  },
);
