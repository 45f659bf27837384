import { expect, it } from 'vitest';
import { Secret } from '../../domain/secrets/secret.ts';
import { enterSwarm, quitSwarm } from './membership.ts';

const invitation = {
  managerAddresses: ['192.0.2.1'],
  advertiseAddress: '192.0.2.2',
  token: new Secret('SWMTKN-1-a'),
};

/** An engine whose answers come too late: its states, one for each look, the last for all that follow. */
function late(states: string[], leaveFailures = 0) {
  const asked: string[] = [];
  let failures = leaveFailures;
  const inactive = (): void => void states.splice(0, states.length, 'inactive');
  return {
    asked,
    async info() {
      const state = (states.length > 1 ? states.shift() : states[0]) ?? 'inactive';
      const swarm = { state, isManager: false, nodeAddress: '', nodeId: '', problem: '' };
      return { version: '20.10.24', apiVersion: '1.41', swarm };
    },
    async joinSwarm() {
      asked.push('join');
      throw new Error('Timeout was reached before node joined.');
    },
    async leaveSwarm() {
      asked.push('leave');
      failures -= 1;
      if (failures >= 0) throw new Error('context deadline exceeded');
      inactive();
    },
  };
}

it('waits for an engine that goes on joining after it has answered', async () => {
  const engine = late(['pending', 'pending', 'active']);
  await enterSwarm(engine, invitation);
  expect(engine.asked).toEqual(['join']);
});

it('says why it did not get in, and leaves it in no swarm', async () => {
  const engine = late(['pending', 'error']);
  await expect(enterSwarm(engine, invitation)).rejects.toThrow('Timeout was reached');
  expect(engine.asked).toEqual(['join', 'leave']);
  expect((await engine.info()).swarm.state).toBe('inactive');
});

it('asks again to leave until it has left', async () => {
  const engine = late(['active'], 2);
  await quitSwarm(engine);
  expect(engine.asked).toEqual(['leave', 'leave', 'leave']);
});

it('takes the end in the background for one, and asks nothing of an engine in no swarm', async () => {
  const slow = late(['active', 'inactive'], 1);
  await quitSwarm(slow);
  expect(slow.asked).toEqual(['leave']);
  const free = late(['inactive']);
  await quitSwarm(free);
  expect(free.asked).toEqual([]);
});
