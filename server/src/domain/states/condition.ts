/**
 * What a service is in (decisions 14): from what its engine runs, beside what its record says of it. Pure.
 */
import { crashLoop, type Live } from './live.ts';

export const conditions = [
  'up',
  'starting',
  'degraded',
  'down',
  'stopped',
  'unreachable',
  'never deployed',
] as const;
export type Condition = (typeof conditions)[number];

/** Whether the engine of a service was seen: `unseen` since Berth's start, or not answering since a time. */
export type HostSight = { state: 'seen' } | { state: 'unseen' } | { state: 'away'; since: string };

export interface Conditioned {
  /** A deployment of it has succeeded once. */
  isReleased: boolean;
  /** It was stopped by hand. */
  isStopped: boolean;
  live: Live | null;
  host: HostSight;
}

export interface ConditionVerdict {
  condition: Condition;
  /** One sentence about what is wrong; null when nothing is. */
  reason: string | null;
}

/** After an end by itself, tasks that run for less than this are not yet well again. */
export const steadyMs = 60_000;

/** `now` in ms. */
export function conditionOf(service: Conditioned, now: number): ConditionVerdict {
  const { live, host, isReleased, isStopped } = service;
  if (!isReleased && live === null) return verdict('never deployed');
  const awaySince = live?.unreachableSince ?? (host.state === 'away' ? host.since : null);
  if (awaySince !== null)
    return verdict(
      'unreachable',
      `The engine has not answered since ${awaySince}; this is the last known state.`,
    );
  if (host.state === 'unseen')
    return verdict('unreachable', 'The engine has not been seen since Berth was started.');
  if (live === null)
    return isStopped
      ? verdict('stopped')
      : verdict('down', 'The engine no longer has its service. Deploy it again.');
  const running = Math.max(0, live.running - live.paused);
  if (live.desired === 0 && live.running === 0) return verdict('stopped');
  if (live.paused > 0)
    return verdict(
      running > 0 ? 'degraded' : 'down',
      `${live.paused === 1 ? 'A container of it is' : `${live.paused} containers of it are`} paused on the ` +
        'engine. Unpause or restart it.',
    );
  if (live.problem !== null) {
    const isSteady = live.since !== null && now - Date.parse(live.since) >= steadyMs;
    return verdict(
      running > 0 && isSteady ? 'degraded' : 'down',
      `${problemWords[live.problem]}${live.lastExit === null ? '' : ` ${live.lastExit.reason}`}`,
    );
  }
  if (running >= live.desired) return verdict('up');
  return incomplete(live, running, now);
}

const problemWords = {
  'crash loop': 'It keeps ending and being started again.',
  'out of memory': 'It was killed at its memory limit.',
} as const;

/** Fewer run than should. */
function incomplete({ waiting, lastExit }: Live, running: number, now: number): ConditionVerdict {
  // What ended long ago says nothing of tasks that were asked for since.
  const isTelling =
    lastExit !== null && (running === 0 || now - Date.parse(lastExit.at) < crashLoop.withinMs);
  const reason = waiting ?? (isTelling ? lastExit.reason : null);
  if (reason === null) return verdict('starting');
  return verdict(running > 0 ? 'degraded' : 'down', reason);
}

function verdict(condition: Condition, reason: string | null = null): ConditionVerdict {
  return { condition, reason };
}
