/**
 * Databases and compose services go to a server and come back with all that they hold, whatever ends Berth.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bed } from '../../bed/bed.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { dockerOf } from '../../bed/docker.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { openDatabaseFixture, type Base, type DatabaseFixture } from '../databases/database-fixture.ts';
import { inSession } from '../databases/clients.ts';
import { berthHost, throughProxy, type BerthHost } from '../fixtures/berth-host.ts';
import { databasePath, prepareKill } from '../fixtures/berth-process.ts';
import { deploymentEnded, docker, output, until } from '../fixtures/applications.ts';
import { ofThisRun } from '../../run/mode.ts';

let bed: Bed;
let berth: BerthHost;
let far: BedHost;
let serverId: string;
let house: DatabaseFixture;

beforeAll(async () => {
  bed = await bedOfRun();
  [far, berth] = await Promise.all([
    bed.host('cellar', { index: 101, engine: true, images: true, sshd: true }),
    berthHost(bed, 'attic', 102),
  ]);
  await output(far, docker, 'swarm', 'init', '--advertise-addr', far.ip);
  house = await openDatabaseFixture(berth);
  const { sshKeyId } = await berth.call<{ sshKeyId: string }>('sshKey.create', {
    name: 'cellar',
    publicKey: await readFile(`${far.sshKeyPath}.pub`, 'utf8'),
    privateKey: await readFile(far.sshKeyPath, 'utf8'),
  });
  const record = { name: 'cellar', ipAddress: far.ip, port: 22, username: 'root', serverType: 'deploy' };
  ({ serverId } = await berth.call<{ serverId: string }>('server.create', { ...record, sshKeyId }));
  await berth.call('server.setup', { serverId });
  const one = () => berth.call('server.one', { serverId });
  await until('it is set up', async () => (await one())['setupStatus'] === 'done', 400_000);
});
afterAll(() => Promise.all([far, berth.host].map((host) => host.kill())));

it('a compose service without volumes goes there with its domain', async () => {
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
    name: 'stack',
    appName: 'stack',
    environmentId: house.environmentId,
  });
  const services = { web: { image: 'berth/node:24', command: ['node', '-e', program] } };
  const composeFile = JSON.stringify({ services });
  await berth.call('compose.update', { composeId, sourceType: 'raw', composeFile });
  const domain = {
    composeId,
    domainType: 'compose',
    serviceName: 'web',
    host: 'stack.localhost',
    port: 3000,
  };
  await berth.call('domain.create', domain);
  await deployCompose(composeId);
  await untilAnswers(berth.host);
  const { deploymentId } = await berth.call<{ deploymentId: string }>('compose.moveToServer', {
    composeId,
    serverId,
  });
  const ended = await deploymentEnded(berth, 'stack', deploymentId, 300_000);
  expect(ended, (await berth.log(deploymentId)).join('\n')).toMatchObject({ status: 'done' });
  await untilAnswers(far);
  expect(await dockerOf(berth.host).services(`berth.compose=${composeId}`)).toEqual([]);
});

it.each(ofThisRun(['postgres', 'mariadb', 'redis'] as const, 3))(
  '%s goes there and comes back',
  async (kind) => {
    const base = await house.database(kind, `kept-${kind}`);
    const former = await written(base, 21_000 + kind.length);
    await moved(base, serverId);
    expect(await read(base, 'first')).toBe('written here');
    await write(base, 'second', 'written there');
    expect(await labelled(berth.host, base)).toEqual({ services: [], volumes: [former] });
    expect(await labelled(far, base)).toMatchObject({ services: [`kept-${kind}`] });
    const log = await moved(base, null);
    expect(log).toMatch(/Copied \d+ bytes; the files of both have the SHA-256 [0-9a-f]{64}\./);
    expect([await read(base, 'first'), await read(base, 'second')]).toEqual([
      'written here',
      'written there',
    ]);
    const { formerVolumes } = await base.view();
    expect(formerVolumes).toMatchObject([{ volumeName: former, serverId: null }, { serverId }]);
    // The former data stays on either until somebody removes it.
    for (const { volumeName } of formerVolumes) await base.do('removeFormerVolume', { volumeName });
    expect(await labelled(far, base)).toEqual({ services: [], volumes: [] });
    await base.do('remove');
    expect(await labelled(berth.host, base)).toEqual({ services: [], volumes: [] });
  },
);

const stages = ofThisRun(
  ['pull', 'transfer', 'release', 'await-healthy', 'verify-query', 'switch', 'leave'],
  3,
);

it('kill -9 of Berth in each stage of a move: it goes on, and nothing is lost', async () => {
  const base = await house.database('postgres', 'killed');
  await written(base, 21_100);
  const hit: string[] = [];
  let isThere = false;
  for (const stage of stages) {
    await write(base, stage, `before ${stage}`);
    const killIn = await prepareKill(berth.host, await databasePath(bed, berth.host), 180_000);
    await base.do('moveToServer', { serverId: isThere ? null : serverId });
    const killed = await killIn(base.id, stage);
    hit.push(killed.stage);
    await berth.start();
    const ended = await base.ended(killed.deploymentId, 300_000);
    expect(ended, await base.log(killed.deploymentId)).toMatchObject({ status: 'done', errorMessage: null });
    isThere = !isThere;
    expect(await read(base, stage)).toBe(`before ${stage}`);
    const present = isThere ? far : berth.host;
    expect((await labelled(present === far ? berth.host : far, base)).services).toEqual([]);
    expect((await labelled(present, base)).services).toEqual(['killed']);
  }
  console.log(`killed in the stages ${hit.join(', ')}`);
  expect(hit.filter((stage) => stages.includes(stage)).length).toBeGreaterThanOrEqual(
    Math.floor(stages.length * 0.6),
  );
  expect(await read(base, 'first')).toBe('written here');
});

it('a database stays where it was when its port is taken there', async () => {
  const base = await house.database('redis', 'refused');
  await written(base, 21_200);
  const taken = await house.database('redis', 'taken', { serverId });
  await taken.do('saveExternalPort', { externalPort: 21_200 });
  expect(await base.ask('moveToServer', { serverId })).toMatchObject({ status: 409 });
  expect(await read(base, 'first')).toBe('written here');
});

const program = "require('node:http').createServer((_, answer) => answer.end('stack')).listen(3000)";

async function deployCompose(composeId: string): Promise<void> {
  await berth.call('compose.deploy', { composeId });
  const { deploymentId } = await berth.call<{ deploymentId: string }>('deployment.latest', { composeId });
  const { status } = await deploymentEnded(berth, 'stack', deploymentId, 240_000);
  expect(status, (await berth.log(deploymentId)).join('\n')).toBe('done');
}

async function untilAnswers(host: BedHost): Promise<void> {
  let last: unknown;
  try {
    await until(
      `it answers on ${host.name}`,
      async () => {
        last = await throughProxy(host.ip, 'stack.localhost').catch(String);
        return typeof last === 'object' && last !== null && Reflect.get(last, 'body') === 'stack';
      },
      120_000,
    );
  } catch (cause) {
    throw new Error(`It answers ${JSON.stringify(last)}\n${await berth.ownLog()}`, { cause });
  }
}

/** Deploys it on Berth's own machine with something in it; gives its volume. */
async function written(base: Base, externalPort: number): Promise<string> {
  await base.deploy();
  await base.do('saveExternalPort', { externalPort });
  await write(base, 'first', 'written here');
  const [volume = ''] = (await labelled(berth.host, base)).volumes;
  return volume;
}

/** Gives the log of a move, which must be done. */
async function moved(base: Base, to: string | null): Promise<string> {
  const { deploymentId } = await base.do<{ deploymentId: string }>('moveToServer', { serverId: to });
  const { status } = await base.ended(deploymentId, 300_000);
  const log = await base.log(deploymentId);
  expect(status, log).toBe('done');
  return log;
}

async function labelled(host: BedHost, { id }: Base): Promise<{ services: string[]; volumes: string[] }> {
  const on = dockerOf(host);
  const label = `berth.database=${id}`;
  const services = (await on.services(label)).map((line) => line.split(' ')[0] ?? '');
  return { services, volumes: await on.volumes(label) };
}

const address = async (base: Base): Promise<string> => (await base.view()).connection.external ?? '';
const write = async (base: Base, key: string, text: string): Promise<void> =>
  inSession(base.kind, await address(base), (session) => session.write(key, text));
const read = async (base: Base, key: string): Promise<string | null | undefined> =>
  inSession(base.kind, await address(base), (session) => session.read(key));
