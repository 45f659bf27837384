/**
 * How an engine enters a swarm and leaves it. A slow machine takes longer than the engine itself waits (20 s
 * to join, 15 s to leave); it goes on in the background then, so its state tells the outcome, not its answer.
 */
import type { ServerShell } from '../../ports/host/server-shell.ts';
import { waitUntil } from '../../ports/wait-until.ts';

type Engine = Pick<ServerShell['engine'], 'info' | 'joinSwarm' | 'leaveSwarm'>;
type Invitation = Parameters<Engine['joinSwarm']>[0];

/** For how long one that is on its way is waited for, after the engine itself stopped waiting. */
const afterwardsMs = 100_000;
const lookMs = 500;

/** Throws why it did not get in; then it is in no swarm, free for the next attempt. */
export async function enterSwarm(engine: Engine, invitation: Invitation): Promise<void> {
  try {
    await engine.joinSwarm(invitation);
  } catch (error) {
    if (await gotIn(engine)) return;
    // One that did not get in stays on its way ("pending").
    await quitSwarm(engine).catch(() => undefined);
    throw error;
  }
}

async function gotIn(engine: Engine): Promise<boolean> {
  const look = async (): Promise<boolean | undefined> => {
    const state = await stateOf(engine);
    if (state === 'active') return true;
    return state === 'pending' || state === undefined ? undefined : false;
  };
  return (await waitUntil(look, { everyMs: lookMs, limitMs: afterwardsMs })) ?? false;
}

/** Nothing when it is in no swarm. Throws the engine's last reason when it is still in one at the limit. */
export async function quitSwarm(engine: Engine): Promise<void> {
  let reason: unknown;
  const look = async (): Promise<true | undefined> => {
    if ((await stateOf(engine)) === 'inactive') return true;
    reason = await engine.leaveSwarm({ isForced: true }).catch((error: unknown) => error);
    return reason === undefined ? true : undefined;
  };
  const isOut = await waitUntil(look, { everyMs: lookMs, limitMs: afterwardsMs });
  if (isOut === undefined) throw reason;
}

/** Undefined while it does not answer. */
const stateOf = async (engine: Engine): Promise<string | undefined> =>
  (await engine.info().catch(() => undefined))?.swarm.state;
