/**
 * The program as a release runs it (ADR 47): loads the bundled server with what V8 compiled of it before,
 * then starts Berth.
 */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { openBundle } from './bundle.ts';
import { flagsOnceLoaded, flagsOfTheLoad } from './domain/resources/node-flags.ts';
import { failStart } from './failed-start.ts';
import type { start } from './start.ts';

/** By then the first requests have run, and their functions are compiled too. */
const keptAfterMs = 5000;

const kept = join(process.env['BERTH_DATA'] ?? '/var/lib/berth', 'cache', 'modules');
const bundle = openBundle(kept);

try {
  const program = asProgram(bundle.load(join(import.meta.dirname, '../../program/start.js')));
  // Also at an end before that: a start that is ended at once, again and again, would never have any.
  if (bundle.lacks()) process.once('exit', keepAtEnd);
  await program.start();
  if (bundle.lacks()) setTimeout(keep, keptAfterMs).unref();
} catch (error) {
  failStart(error);
}

function keepAtEnd(code: number): void {
  if (code === 0) keep();
}

function keep(): void {
  process.off('exit', keepAtEnd);
  // V8 takes a compiled form only with the flags it was made with.
  for (const flag of flagsOfTheLoad) setFlagsFromString(flag);
  try {
    bundle.keep();
  } catch (error) {
    process.stderr.write(`What is compiled of Berth is not kept in ${kept}: ${String(error)}\n`);
  }
  for (const flag of flagsOnceLoaded) setFlagsFromString(flag);
}

/** The bundle is made of this very start.ts (tools/package/program.ts). */
function asProgram(loaded: unknown): { start: typeof start } {
  return loaded as { start: typeof start };
}
