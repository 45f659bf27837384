/**
 * What is measured of a machine and of the services on it, and how samples become points (decisions 15).
 * Memory, disk and traffic are bytes; processor time is percent, of a machine of all its processors together,
 * of a service of one processor.
 */

export interface MachineSample {
  /** Epoch milliseconds. */
  at: number;
  cpu: number;
  memoryUsed: number;
  memoryTotal: number;
  diskUsed: number;
  diskTotal: number;
  /** Bytes since the sample before. */
  networkIn: number;
  networkOut: number;
  /** Of the last minute (proc(5), loadavg). */
  load: number;
}

/** All containers of one service, or one container that is of none. */
export interface ServiceSample {
  at: number;
  containers: number;
  cpu: number;
  memoryUsed: number;
  /** Sum of their limits; of one without a limit, all memory of the machine. */
  memoryLimit: number;
  networkIn: number;
  networkOut: number;
  diskRead: number;
  diskWritten: number;
}

type Sample = MachineSample | ServiceSample;

/** Summed over the samples of a point; the others are averages. */
const sums = new Set(['networkIn', 'networkOut', 'diskRead', 'diskWritten']);

/** One sample for all of these, which are at least one, at the time of the last. */
export function merged<S extends Sample>(samples: readonly [S, ...S[]]): S {
  const result: S = { ...samples[0] };
  for (const field of fieldsOf(result)) {
    let total = 0;
    for (const sample of samples) total += Number(sample[field]);
    const value = sums.has(String(field)) ? total : total / samples.length;
    Object.assign(result, { [field]: Math.round(value * 100) / 100 });
  }
  return Object.assign(result, { at: Math.max(...samples.map(({ at }) => at)) });
}

const fieldsOf = <S extends Sample>(sample: S): (keyof S)[] =>
  Object.keys(sample).filter((field): field is string & keyof S => field !== 'at');

/** At most so many points of equal lengths of time, from `since` to `until`; the samples are in order. */
export function pointsOf<S extends Sample>(
  samples: readonly S[],
  { since, until, points }: { since: number; until: number; points: number },
): S[] {
  if (samples.length <= points) return [...samples];
  const length = Math.max(1, (until - since) / points);
  const groups = Map.groupBy(samples, ({ at }) =>
    Math.min(points - 1, Math.max(0, Math.floor((at - since) / length))),
  );
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [merged([first, ...others])] : []));
}

export interface NamePatterns {
  include: readonly string[];
  exclude: readonly string[];
}

/** `*` stands for any letters; no `include` includes all, and `exclude` wins. */
export function isMeasured(name: string, { include, exclude }: NamePatterns): boolean {
  const isIn = (patterns: readonly string[]): boolean => patterns.some((one) => fits(name, one));
  return (include.length === 0 || isIn(include)) && !isIn(exclude);
}

/** Without a regular expression, so that no pattern makes it slow. */
function fits(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (!name.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return name === first;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}

export const thresholdKinds = ['cpu', 'memory'] as const;
export type ThresholdKind = (typeof thresholdKinds)[number];

/** A measured value that went over its threshold. */
export interface Passing {
  /** Grows by one. */
  passing: number;
  at: number;
  kind: ThresholdKind;
  value: number;
  threshold: number;
}

export const memoryPercent = ({
  memoryUsed,
  memoryTotal,
}: Pick<MachineSample, 'memoryUsed' | 'memoryTotal'>): number =>
  memoryTotal === 0 ? 0 : (memoryUsed / memoryTotal) * 100;

/**
 * Tells when a value goes over its threshold: once, and again after it was below. A threshold of 0 is none.
 */
export function createThresholds(thresholds: Readonly<Record<ThresholdKind, number>>) {
  const over = new Set<ThresholdKind>();
  return (sample: MachineSample): Omit<Passing, 'passing'>[] => {
    const values = { cpu: sample.cpu, memory: memoryPercent(sample) };
    return thresholdKinds.flatMap((kind) => {
      const threshold = thresholds[kind];
      const isOver = threshold > 0 && values[kind] > threshold;
      const isNew = isOver && !over.has(kind);
      if (isOver) over.add(kind);
      else over.delete(kind);
      return isNew ? [{ at: sample.at, kind, value: Math.round(values[kind] * 10) / 10, threshold }] : [];
    });
  };
}
