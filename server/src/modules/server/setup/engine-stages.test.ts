import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareServer, setupWorld } from '../../../../../test/machines/bare-server.ts';
import { installVirtualTime } from '../../../../../test/virtual-time/virtual-time.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const active = { state: 'active', isManager: true, nodeAddress: '203.0.113.7', nodeId: 'n', problem: '' };

it('starts an engine without a service manager, and says that nothing starts it at boot', async () => {
  const { run } = setupWorld(bareServer({ hasSystemd: false, engine: 'stopped' }));
  await run('facts');
  expect(await run('engine')).toEqual([
    'started the engine; no service manager runs there, so it is not started at boot',
  ]);
});

it.each([
  [true, '"journalctl -u docker"'],
  [false, 'the end of /var/log/berth-engine.log'],
])('says where to look when the engine does not answer (systemd: %s)', async (hasSystemd, place) => {
  const { run } = setupWorld(bareServer({ hasSystemd, engine: 'stopped', isEngineBroken: true }));
  await run('facts');
  await expect(run('engine')).rejects.toThrow(`does not answer within 90 s. See ${place} there`);
});

it.each(['1.40', '0.99'])('refuses an engine that is too old (API version %s)', async (apiVersion) => {
  const { run } = setupWorld(bareServer({ engine: 'running', apiVersion }));
  await expect(run('engine')).rejects.toThrow(
    `API version ${apiVersion}; Berth needs 1.41 (Docker 20.10) or later`,
  );
});

it.each(['1.41', '1.100', '2.0'])('takes an engine of API version %s', async (apiVersion) => {
  const { run } = setupWorld(bareServer({ engine: 'running', apiVersion }));
  expect(await run('engine')).toEqual([]);
});

it('puts a user that is not root into the group docker, says so, and signs in with it', async () => {
  const server = bareServer({ engine: 'running', username: 'deploy', groups: new Map([['docker', []]]) });
  const { run, said } = setupWorld(server);
  expect(await run('engine')).toEqual(['added deploy to the group docker, which is equivalent to root']);
  expect([server.groups.get('deploy'), server.signIns]).toEqual([['docker'], 1]);
  expect(said[0]).toBe('Members of the group docker can do all that root can: deploy now is one.');
  expect(await run('engine')).toEqual([]);
  expect(server.signIns).toBe(1);
});

it('leaves a user alone where there is no group docker', async () => {
  const server = bareServer({ engine: 'running', username: 'deploy' });
  expect(await setupWorld(server).run('engine')).toEqual([]);
  expect(server.groups).toEqual(new Map());
});

it.each([
  ['its own', '2: eth0 inet 203.0.113.7/24\n192.0.2.1 dev eth0 src 10.0.0.5', '203.0.113.7'],
  ['the one of its way out', '2: eth0 inet 10.0.0.5/24\n192.0.2.1 dev eth0 src 10.0.0.5', '10.0.0.5'],
  ['the one that Berth reaches', '2: eth0 inet 10.0.0.5/24', '203.0.113.7'],
])('makes a swarm known by %s', async (_, addresses, expected) => {
  const server = bareServer({ engine: 'running', addresses });
  expect(await setupWorld(server).run('swarm')).toEqual([
    `created a swarm of this one machine, known as ${expected}`,
  ]);
  expect(server.swarm.nodeAddress).toBe(expected);
});

it.each([
  [{ state: 'active', isManager: false }, 'is a worker of a swarm, and Berth needs a manager'],
  [{ state: 'pending' }, 'is still joining a swarm. Wait'],
  [{ state: 'error', problem: 'no quorum' }, 'reports a fault of its swarm .* It says: no quorum'],
  [{ state: 'locked' }, 'has a locked swarm. Unlock it'],
  [{ state: 'odd' }, 'has a swarm in the state "odd"'],
])('remakes no swarm (%j)', async (change, sentence) => {
  const server = bareServer({ engine: 'running', swarm: { ...active, ...change } });
  await expect(setupWorld(server).run('swarm')).rejects.toThrow(new RegExp(sentence));
  expect(server.swarm).toEqual({ ...active, ...change });
});

it('takes a node for one only while its engine is in a swarm', async () => {
  const node = { ...active, isManager: false };
  const { run, said } = setupWorld(bareServer({ engine: 'running', swarm: node }), { isNode: true });
  expect(await run('swarm')).toEqual([]);
  expect(said).toEqual(['It is a node of a cluster, known as 203.0.113.7.']);
  const lost = setupWorld(bareServer({ engine: 'running' }), { isNode: true });
  await expect(lost.run('swarm')).rejects.toThrow('its engine is not in a swarm (inactive)');
  const silent = setupWorld(bareServer({ engine: 'stopped' }));
  await expect(silent.run('swarm')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
