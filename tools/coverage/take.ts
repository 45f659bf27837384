/**
 * Loaded into every process of a measured run: one that is told to end writes down first what it has run.
 * Vitest tells its workers to stop, waits for their answer, and then gives them half a second (SIGTERM,
 * SIGKILL), which a busy machine does not keep: so what they ran is written down at the first word.
 */
import { takeCoverage } from 'node:v8';

let isTaken = false;
function take(): void {
  if (isTaken) return;
  isTaken = true;
  takeCoverage();
}

const isStop = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop';

if (process.send !== undefined)
  process.on('message', (message) => {
    if (isStop(message)) take();
  });
process.once('SIGTERM', () => {
  take();
  process.exit(0);
});
