/** Loaded before Berth (`node --expose-gc --import …`): on SIGUSR2 it collects what is garbage and tells the parent what the process holds. Nothing else of Berth is touched. */
export {};

const collect: unknown = Reflect.get(globalThis, 'gc');

process.on('SIGUSR2', () => {
  if (typeof collect !== 'function') throw new Error('Start node with --expose-gc.');
  // Twice: what the first leaves to finalizers is free only for the second.
  collect();
  setImmediate(() => {
    collect();
    process.send?.(process.memoryUsage());
  });
});
