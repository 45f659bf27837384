/**
 * Lets tests of one chain follow each other while those of other chains run beside them (`it.concurrent`).
 */
export type InOrder = (work: () => Promise<void>) => () => Promise<void>;

/** A test of the chain begins when the one before it has ended, however that ended. */
export function inOrder(): InOrder {
  let last: Promise<void> = Promise.resolve();
  return (work) => () => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
