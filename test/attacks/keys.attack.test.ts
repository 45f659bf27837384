/** A narrowed key reads what it does not name; a registry tells what listens in the private network. */
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, type Outcome } from './attack.ts';
import { newName } from './deployments.ts';
import { attackedHost, type Attacked } from './fixture.ts';

const loot = 'for-people-who-may-read-secrets';
const table = attackTable();
const { machineIp } = inject('bed');
/** Of another machine in the private network; it hangs up on whoever comes. */
const neighbour = createServer((socket) => void socket.destroy());
let openPort = 0;
let world: Attacked;

beforeAll(async () => {
  await new Promise<void>((resolve) => neighbour.listen(0, machineIp, resolve));
  const address = neighbour.address();
  openPort = typeof address === 'object' && address !== null ? address.port : 0;
  world = await attackedHost(await bedOfRun(), 'keys', 54);
});
afterAll(async () => {
  table.print('narrowed keys and probes');
  neighbour.close();
  await world[Symbol.asyncDispose]();
});

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
  'a registry that is tested tells which ports of the private network are open': async ({ tenant }) => {
    const said = async (port: number): Promise<string> => {
      const registryUrl = `${machineIp}:${port}`;
      const { text } = await tenant.owner('registry.test', { registryUrl, username: 'a', password: 'b' });
      return text.replaceAll(String(port), 'PORT');
    };
    const [open, closed] = [await said(openPort), await said(await closedPort())];
    return { succeeded: open !== closed, said: open };
  },
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    const outcome = await run(world);
    table.note(attack, 'as built', outcome);
    expect(outcome).toMatchObject({ succeeded: false });
  });
});

describe('with keys as wide as their users, and addresses that nobody judges', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/narrowed-keys.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    const outcome = await run(world);
    table.note(attack, 'left out', outcome);
    expect(outcome).toMatchObject({ succeeded: true });
  });
});
