/**
 * When a service is started again once it has ended (compose-spec, restart and deploy.restart_policy). Pure.
 */
import type { YamlMap } from '../compose-file.ts';
import { below, fault, textAt, type Place } from './values.ts';

export interface Restart {
  /** Undefined where the file says nothing, which means `no` in docker compose. */
  word: 'no' | 'on-failure' | 'always' | undefined;
  /** The file's number of attempts after a failure. */
  attempts: number | undefined;
  /** A job of a swarm, which runs once in each deployment. */
  isJob: boolean;
}

/** `deploy.restart_policy`, which wins over `restart`. */
export interface RestartPolicy extends Omit<Restart, 'word'> {
  condition: Restart['word'];
}

/** Attempts of a service that runs once, where `restart: on-failure` has no number. */
const ordinaryAttempts = 10;

export function restartOf(
  service: YamlMap,
  { condition, attempts, isJob }: RestartPolicy,
  place: Place,
): Restart {
  const value: unknown = service.get('restart');
  const text =
    value === undefined || value === null
      ? ''
      : value === false
        ? 'no'
        : textAt(value, below(place, 'restart'));
  const [, word, number] = /^(no|always|unless-stopped|on-failure)?(?::([0-9]{1,4}))?$/.exec(text) ?? [
    '',
    'x',
  ];
  if (word === 'x' || (number !== undefined && word !== 'on-failure'))
    throw fault(below(place, 'restart'), 'must be no, always, on-failure, on-failure:5 or unless-stopped');
  return {
    word:
      condition ?? (word === 'unless-stopped' ? 'always' : word === undefined ? undefined : wordsOf[word]),
    attempts: attempts ?? (number === undefined ? undefined : Number(number)),
    isJob,
  };
}

const wordsOf: Readonly<Record<string, Restart['word']>> = {
  no: 'no',
  always: 'always',
  'on-failure': 'on-failure',
};

/**
 * How long what says `restart: "no"` may take to end before it counts as a server; in milliseconds. Without a
 * word most services are servers, which nobody waits for so long.
 */
const jobMs = 60_000;

/** What follows from whether the service is a server, and whether others await its end. */
export function lifeOf(
  { word, attempts, isJob }: Restart,
  { isServer, isAwaited, where }: { isServer: boolean; isAwaited: boolean; where: string },
): { isOneShot: boolean; retries: number; mayEnd: boolean; watchMs: number | undefined; notes: string[] } {
  const isOneShot = isAwaited || (isJob && !isServer);
  const mayEnd = !isServer && !isOneShot && word !== 'always';
  const retries = isOneShot && word === 'on-failure' ? (attempts ?? ordinaryAttempts) : 0;
  const isLimited = attempts !== undefined && word === 'on-failure' && !isOneShot;
  return {
    isOneShot,
    retries,
    mayEnd,
    watchMs: mayEnd && word === 'no' ? jobMs : undefined,
    notes: [
      ...(isServer && word === 'on-failure'
        ? [`${where}.restart: it is a server, so it is started again whenever it ends, even on success.`]
        : []),
      ...(isLimited
        ? [
            `${where}.restart: the number of attempts has no effect; it is started again as often as ` +
              'it fails.',
          ]
        : []),
    ],
  };
}
