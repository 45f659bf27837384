/**
 * Lets few passwords be hashed at once, since each takes 19 MiB and a core. Known devices go before
 * strangers; of each kind everybody is served in turn, so that nobody's many keep another's one waiting.
 */

export interface HashQueue {
  /** Does the work when its turn has come. `caller` is who takes turns with others of the kind. */
  run<T>(on: { caller: string; isKnown: boolean }, work: () => Promise<T>): Promise<T>;
}

type Start = () => void;

export function createHashQueue(atOnce = 2): HashQueue {
  let running = 0;
  /** Who waits, with what each waits for; whose turn is next stands first. */
  const known = new Map<string, Start[]>();
  const strangers = new Map<string, Start[]>();

  function wait(lane: Map<string, Start[]>, caller: string): Promise<void> {
    return new Promise((start) => {
      const own = lane.get(caller);
      if (own) own.push(start);
      else lane.set(caller, [start]);
    });
  }

  /** A place that falls free is handed on and not counted anew, so that nobody slips in between. */
  function handOn(): void {
    const start = nextOf(known) ?? nextOf(strangers);
    if (start) start();
    else running -= 1;
  }

  return {
    async run({ caller, isKnown }, work) {
      if (running < atOnce) running += 1;
      else await wait(isKnown ? known : strangers, caller);
      try {
        return await work();
      } finally {
        handOn();
      }
    },
  };
}

function nextOf(lane: Map<string, Start[]>): Start | undefined {
  for (const [caller, [start, ...rest]] of lane) {
    lane.delete(caller);
    // Behind all others.
    if (rest.length > 0) lane.set(caller, rest);
    return start;
  }
  return undefined;
}
