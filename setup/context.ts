/** What every step of the set-up gets. */
import type { Engine } from './engine/client.ts';
import type { UpFlags } from './settings/flags.ts';
import type { Layout } from './layout.ts';
import type { Settings } from './settings/settings.ts';
import type { Starter } from './starters/starter.ts';

export interface SetupContext {
  flags: UpFlags;
  settings: Settings;
  layout: Layout;
  /** The product that is set up: the folder with package.json, dist, images and example. */
  product: string;
  engine: Engine;
  starter: Starter;
  /** Prints one line below the step's title. */
  say: (line: string) => void;
  /** Fires when the person interrupts. */
  signal: AbortSignal;
}

/**
 * One step; `run` gives the sentence that is printed with its time, or throws AppError saying what the person
 * must do.
 */
export interface Step {
  title: string;
  applies?: (context: SetupContext) => boolean;
  run: (context: SetupContext) => Promise<string>;
}
