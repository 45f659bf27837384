/** The `berth` program; started by bin/berth. */
import { run } from './run.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
// A reader that has seen enough (head) closes the pipe; that is no fault.
process.stdout.on('error', () => stop.abort());

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  stdin: process.stdin,
  out: (text) => void process.stdout.write(text),
  say: (text) => void process.stderr.write(text),
  signal: stop.signal,
});
