/**
 * Loaded before Berth (`node --expose-gc --import …`): on SIGUSR2 it collects what is garbage and tells the
 * parent what the process holds. Nothing else of Berth is touched.
 */
export {};

const collect: unknown = Reflect.get(globalThis, 'gc');

process.on('SIGUSR2', () => {
  if (typeof collect !== 'function') throw new Error('Start node with --expose-gc.');
  // Twice: what the first leaves to finalizers is free only for the second. "Last resort" collects several
  // times and also gives back the pages that V8 keeps for the next objects once they are empty: with a plain
  // collection the process would be as large as the most it ever held at a time, and say nothing of what it
  // holds.
  const wholly = { type: 'major', execution: 'sync', flavor: 'last-resort' };
  collect();
  setImmediate(() => {
    collect(wholly);
    process.send?.(process.memoryUsage());
  });
});
