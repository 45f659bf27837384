import type { TaskState } from '../../ports/engine/engine.ts';
import type { ReleaseObservation } from './release-verdict.ts';

/** A manager that has lost a node for a moment finds it again before. */
const patienceMs = 15_000;

/**
 * Tells why a release can never begin: for 15 s no node has taken a task of it, and no former version is left
 * that still holds what it waits for.
 */
export function createPlaceWatch(generation: string): {
  look(seen: ReleaseObservation): string | undefined;
} {
  let since: number | undefined;
  return {
    look({ tasks, now }) {
      const own = tasks.filter((task) => task.generation === generation);
      const waiting = own.find(isPlaceless);
      const isHeld = tasks.some((task) => task.generation !== generation && task.state === 'running');
      if (waiting === undefined || isHeld) {
        since = undefined;
        return undefined;
      }
      since ??= now;
      return now - since < patienceMs ? undefined : sentenceOf(waiting.error);
    },
  };
}

const isPlaceless = ({ state, desiredState, error }: TaskState): boolean =>
  state === 'pending' && desiredState !== 'shutdown' && error.startsWith('no suitable node');

/** What the engine says in brackets, and what helps. */
const ways: readonly (readonly [RegExp, string])[] = [
  [/constraints/, 'Change its placement constraints, or give a node the label that they ask for.'],
  [
    /host-mode port/,
    'Only one container can have a port of the server: publish another, or run one replica.',
  ],
  [/insufficient resources/, 'Lower what it reserves, or make room.'],
  [/max replicas/, 'Raise its replicas per node, or run fewer.'],
  [/plugin|platform/, 'No node has the network or volume plugin, or the platform, that it asks for.'],
];

function sentenceOf(error: string): string {
  const way = ways.find(([words]) => words.test(error))?.[1] ?? '';
  return `No server takes it: ${error}. ${way}`.trim();
}
