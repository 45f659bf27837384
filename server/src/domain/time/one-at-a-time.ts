/** Gives what its work gives, once the works that were asked for before have ended, however they ended. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** The same for each key by itself; one that was once used is remembered. */
export type OneAtATimePerKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function oneAtATimePerKey(): OneAtATimePerKey {
  const turns = new Map<string, OneAtATime>();
  return (key, work) => {
    const turn = turns.get(key) ?? oneAtATime();
    turns.set(key, turn);
    return turn(work);
  };
}
