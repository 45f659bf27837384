import { AppError } from '../../server/src/domain/errors.ts';
import type { Step } from '../context.ts';
import { defaultAddress } from '../machine/default-address.ts';
import { recordMade } from '../made.ts';

/**
 * Sentences for the states in which the engine's swarm cannot be used; Berth never leaves or remakes a swarm.
 */
const unusable: Readonly<Record<string, string>> = {
  pending: 'the engine is still joining a swarm. Wait, then run the command again.',
  error:
    'the engine reports a fault of its swarm. Fix it ("docker info" names it) and run the command again.',
  locked: 'the engine\'s swarm is locked. Unlock it ("docker swarm unlock") and run the command again.',
};

/** A swarm of which this machine is a manager. */
export const swarmStep: Step = {
  title: 'Swarm',
  async run({ engine, layout }) {
    const { Swarm: swarm } = await engine.info();
    if (swarm.LocalNodeState === 'inactive') {
      const address = defaultAddress();
      await engine.initSwarm(address);
      recordMade(layout, { swarm: true });
      return `created a swarm of this machine, known as ${address}`;
    }
    if (swarm.LocalNodeState === 'active' && swarm.ControlAvailable)
      return `this machine is a manager, known as ${swarm.NodeAddr}`;
    if (swarm.LocalNodeState === 'active') {
      throw new AppError(
        'PRECONDITION_FAILED',
        'this machine is a worker of a swarm, and Berth must run on a manager. Run bin/up on a manager, ' +
          'or promote this node there ("docker node promote"), and run the command again.',
      );
    }
    const state = swarm.LocalNodeState;
    const what = unusable[state] ?? `the engine's swarm is in the state "${state}".`;
    throw new AppError('PRECONDITION_FAILED', `${what} ${swarm.Error}`.trim());
  },
};
