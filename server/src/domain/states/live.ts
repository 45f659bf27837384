/** What runs of a service, as the engine was last seen (decisions 5, live). Times are ISO 8601. */

/** How a task ended by itself last. */
export interface LastExit {
  at: string;
  /** Null when its program never ran. */
  exitCode: number | null;
  /** The kernel killed it at its memory limit. */
  outOfMemory: boolean;
  reason: string;
}

export const liveProblems = ['crash loop', 'out of memory'] as const;
export type LiveProblem = (typeof liveProblems)[number];

export interface Live {
  /** The deployment whose release runs; null when nobody knows it any more. */
  deploymentId: string | null;
  commit: string | null;
  /** Null for a compose service, which has several. */
  image: string | null;
  /** Since when its tasks run; null while none does. */
  since: string | null;
  running: number;
  desired: number;
  /** How many tasks of this release ended by themselves, as far as the engine or this Berth saw them. */
  restarts: number;
  lastExit: LastExit | null;
  problem: LiveProblem | null;
  /** Why a task that should run cannot, in the engine's words; null when none waits or it says nothing. */
  waiting: string | null;
  /** Running tasks whose containers are paused. */
  paused: number;
  /** Set while the engine does not answer: when it was last seen. The rest is as it was then. */
  unreachableSince: string | null;
}

/** What is known of a deployment that an engine runs. */
export interface RunningDeployment {
  commit: string | null;
  image: string | null;
  /** Its release has become the service's. */
  isDone: boolean;
  createdAt: string;
}

/** What is remembered of one service of an engine. */
export interface SeenService {
  deploymentId: string | undefined;
  deployment: RunningDeployment | undefined;
  image: string;
  since: string | null;
  running: number;
  desired: number;
  restarts: number;
  lastExit: LastExit | null;
  problem: LiveProblem | null;
  waiting: string | null;
  paused: number;
}

/** So many ends within this time are a crash loop; after it without one a service is well again. */
export const crashLoop = { ends: 3, withinMs: 10 * 60_000 } as const;

/** What is wrong with a service that ended by itself at these times (ms), last for this reason. */
export function problemOf(
  ends: readonly number[],
  lastExit: LastExit | null,
  now: number,
): LiveProblem | null {
  const recent = ends.filter((at) => now - at < crashLoop.withinMs).length;
  if (recent === 0) return null;
  if (lastExit?.outOfMemory) return 'out of memory';
  return recent >= crashLoop.ends ? 'crash loop' : null;
}

/**
 * A service from what an engine has of it: one thing, or as many as a compose has. Null when nothing of it is
 * released and nothing runs.
 */
export function liveOf(
  all: readonly SeenService[],
  unreachableSince: string | null,
  isCompose: boolean,
): Live | null {
  const seen = all.filter(({ deployment, running }) => deployment?.isDone !== false || running > 0);
  const [newest, ...others] = seen.toSorted(byDeployment);
  if (newest === undefined) return null;
  // Beside the one that is released, an application or database has only what is on its way.
  const parts = isCompose ? [newest, ...others] : [newest];
  const lastExit = parts
    .flatMap((part) => part.lastExit ?? [])
    .reduce<LastExit | null>((last, exit) => (last === null || exit.at > last.at ? exit : last), null);
  return {
    deploymentId: newest.deploymentId ?? null,
    commit: newest.deployment?.commit ?? null,
    image: isCompose ? null : (newest.deployment?.image ?? newest.image),
    since: parts.reduce<string | null>(
      (latest, { since }) => (since !== null && (latest === null || since > latest) ? since : latest),
      null,
    ),
    running: sum(parts.map(({ running }) => running)),
    desired: sum(parts.map(({ desired }) => desired)),
    restarts: sum(parts.map(({ restarts }) => restarts)),
    lastExit,
    problem: parts.find(({ problem }) => problem !== null)?.problem ?? null,
    waiting: parts.find(({ waiting }) => waiting !== null)?.waiting ?? null,
    paused: sum(parts.map(({ paused }) => paused)),
    unreachableSince,
  };
}

/** What was released before what is on its way; of those the newest first. */
function byDeployment(left: SeenService, right: SeenService): number {
  const weight = ({ deployment }: SeenService): number => (deployment?.isDone === false ? 1 : 0);
  const createdAt = ({ deployment }: SeenService): string => deployment?.createdAt ?? '';
  return weight(left) - weight(right) || createdAt(right).localeCompare(createdAt(left));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
