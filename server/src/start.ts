/** Starts Berth and ends it cleanly; main.ts has switched the compile cache on. */
import { setFlagsFromString } from 'node:v8';
import { keepHeapSmall } from './adapters/process/quiet-heap.ts';
import { createBerth, type Berth } from './composition/berth.ts';
import { flagsOnceLoaded } from './domain/resources/node-flags.ts';
import { lockInstance } from './shell/instance-lock.ts';
import { createLog, type Log } from './composition/installation/log.ts';
import { readConfig } from './config.ts';

const exitLimitMs = 15_000;

/** Resolves when Berth answers; it ends by SIGTERM or SIGINT. */
export async function start(options: Parameters<typeof createBerth>[2] = {}): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  process.on('unhandledRejection', (error) => void log.fault(error, 'unhandled rejection'));
  const unlock = lockInstance(config.data);
  const berth = await createBerth(config, log, { onTakenOver: endAtOnce(log), ...options });
  await berth.app.listen({ host: config.host, port: config.port });
  // Before the first answer: whoever has that may end Berth at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void stop(berth, log, unlock));
  await berth.listenForProxy();
  for (const flag of flagsOnceLoaded) setFlagsFromString(flag);
  keepHeapSmall();
  log.info(`Berth answers at ${config.url}`, { port: config.port });
  berth.worker.start();
  berth.reconciler.start();
}

/** Not cleanly: the end of what is under way would be written into what is another's now. */
const endAtOnce =
  (log: Log) =>
  (sentence: string): void => {
    log.warn(sentence);
    process.exit(1);
  };

async function stop(berth: Berth, log: Log, unlock: () => void): Promise<void> {
  setTimeout(() => process.exit(1), exitLimitMs).unref();
  await berth.close();
  unlock();
  log.info('Berth has stopped');
  process.exit(0);
}
