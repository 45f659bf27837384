/** Starts a given release and waits until it answers, or goes away again. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sentenceOf } from '../../server/src/domain/errors.ts';
import type { SetupContext } from '../context.ts';
import { healthyVersion } from '../machine/health.ts';
import { keepEnvironment } from '../settings/keep-settings.ts';
import type { Layout } from '../layout.ts';
import { waitUntil } from './wait-until.ts';

const shownLines = 15;

/** How it ended: the version that answers, or the log's last lines. */
export type Started = { version: string } | { fault: string; lastLines: string };

/** Points `current` to the environment's release, starts it and waits for health. */
export async function startBerth(
  context: SetupContext,
  environment: Readonly<Record<string, string>>,
): Promise<Started> {
  const { layout, starter, settings, signal } = context;
  keepEnvironment(layout, environment);
  pointTo(layout, environment['BERTH_BUILD'] ?? '');
  try {
    await starter.start(context);
  } catch (error) {
    signal.throwIfAborted();
    return {
      fault: `it could not be started (${sentenceOf(error)})`,
      lastLines: await starter.lastLines(context, shownLines),
    };
  }
  const first = await starter.running(context);
  const result = await waitUntil<{ version: string } | { fault: string }>(
    async () => {
      const version = await healthyVersion(settings, 2000);
      // Another process under the same unit means that the first has crashed; no process, that nothing will
      // answer.
      const now = await starter.running(context);
      if (now === undefined || (first !== undefined && now.startTicks !== first.startTicks))
        return { fault: 'it ended by itself' };
      return version === undefined ? undefined : { version };
    },
    { limitMs: settings.healthLimitMs, everyMs: 100, signal },
  );
  if (result !== undefined && 'version' in result) return result;
  return {
    fault:
      result?.fault ??
      `it did not answer health within ${settings.healthLimitMs / 1000} s (BERTH_HEALTH_LIMIT)`,
    lastLines: await starter.lastLines(context, shownLines),
  };
}

/** The link changes in one step: whoever starts Berth meanwhile finds the old release or the new one. */
function pointTo(layout: Layout, build: string): void {
  const fresh = `${layout.current}.new`;
  rmSync(fresh, { force: true });
  symlinkSync(join('releases', build), fresh);
  renameSync(fresh, layout.current);
}
