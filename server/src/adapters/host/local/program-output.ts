import { text } from 'node:stream/consumers';
import { command } from '../../../shell/command.ts';
import { startPiped } from '../../../shell/piped.ts';

const limitMs = 10_000;

/** Runs a short program of this machine with its input; returns its output, undefined when it fails. */
export async function outputOf(
  argv: readonly [string, ...string[]],
  input = '',
): Promise<string | undefined> {
  const child = startPiped(command(argv, { cwd: '/' }));
  const limit = setTimeout(child.kill, limitMs);
  child.stdin.end(input);
  try {
    const [said, { exitCode }] = await Promise.all([text(child.stdout), child.ended]);
    return exitCode === 0 ? said : undefined;
  } finally {
    clearTimeout(limit);
  }
}
