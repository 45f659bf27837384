import { join } from 'node:path';
import { repositoryRoot } from '../../images/build-context.ts';
import { runCommand } from '../../images/command.ts';
import type { ProjectEnd, ProjectRun } from './project.ts';

/**
 * The build leaves types unread, since a machine that Berth is set up on gains nothing by it; here the whole
 * of the sources is read once. Counts as one test.
 */
export async function checkTypes({ name, limitMs, niceness, signal, say }: ProjectRun): Promise<ProjectEnd> {
  const started = Date.now();
  const { code, stdout, stderr } = await runCommand(
    [
      'nice',
      `--adjustment=${niceness}`,
      join(repositoryRoot, 'node_modules/.bin/tsc'),
      '--noEmit',
      '-p',
      'tsconfig.json',
    ],
    { cwd: repositoryRoot, limitMs, signal },
  );
  const right = code === 0;
  const line =
    `${name}: ${right ? '1 passed, 0 failed' : '0 passed, 1 failed'}, ` +
    `${((Date.now() - started) / 1000).toFixed(1)} s`;
  if (!right) say(`${stdout}${stderr}`);
  say(line);
  return {
    passed: right ? 1 : 0,
    failed: right ? 0 : 1,
    skipped: 0,
    name,
    files: [],
    runReasons: [],
    line,
    failures: right ? [] : [`${name}: ${stdout}${stderr}`],
  };
}
