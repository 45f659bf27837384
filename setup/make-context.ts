/** Everything a run of set-up needs, from the arguments and the environment. */
import { chmodSync, mkdirSync } from 'node:fs';
import { repositoryRoot } from '../images/build-context.ts';
import type { SetupContext } from './context.ts';
import { connectEngine } from './engine/client.ts';
import type { UpFlags } from './settings/flags.ts';
import { keptEnvironment } from './settings/keep-settings.ts';
import { layoutOf } from './layout.ts';
import { dataFolder, readSettings } from './settings/settings.ts';
import { detachedStarter } from './starters/detached.ts';
import { systemdRuns, systemdStarter } from './starters/systemd.ts';

/** `makesFolder`: the data folder is made where it is missing. */
export function makeContext(flags: UpFlags, { makesFolder = true } = {}): SetupContext {
  const layout = layoutOf(dataFolder(process.env));
  if (makesFolder) {
    mkdirSync(layout.data, { recursive: true });
    // Also where the folder was there before: database and keys are nobody else's.
    chmodSync(layout.data, 0o700);
  }
  const settings = readSettings(
    flags.host === undefined ? process.env : { ...process.env, BERTH_PUBLIC_HOST: flags.host },
    keptEnvironment(layout),
  );
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  return {
    flags,
    settings,
    layout,
    product: repositoryRoot,
    engine: connectEngine(settings.engineSocket),
    starter: systemdRuns() ? systemdStarter : detachedStarter,
    say: (line) => console.log(`      ${line}`),
    signal: interrupted.signal,
  };
}
