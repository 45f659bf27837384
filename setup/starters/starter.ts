/**
 * What starts and stops Berth on this machine: one row for systemd, one for machines where no service manager
 * runs.
 */
import { nodeFlags } from '../../server/src/domain/resources/node-flags.ts';
import type { Layout } from '../layout.ts';
import type { ProcessIdentity } from '../process/process-identity.ts';

export interface StartContext {
  layout: Layout;
  signal: AbortSignal;
  say: (line: string) => void;
}

export interface Starter {
  /** What starts Berth after a restart of the machine or a crash; one sentence for the person. */
  sentence: string;
  /** The Berth that runs now, undefined when none does. */
  running(context: StartContext): Promise<ProcessIdentity | undefined>;
  /**
   * Starts the release that `current` points to with the environment file; answers when the process is there,
   * not when it is healthy.
   */
  start(context: StartContext): Promise<void>;
  /**
   * Ends Berth within `stopLimitMs` and a few seconds; nothing to end is no error. `stayDown`: also after the
   * machine starts again.
   */
  stop(context: StartContext, options: { stayDown: boolean }): Promise<void>;
  /** The last lines Berth printed. */
  lastLines(context: StartContext, count: number): Promise<string>;
}

/** Berth gets this long to end its work before it is killed. */
export const stopLimitMs = 30_000;

/** How Berth is started from a release. */
export function berthCommand(layout: Layout): [string, ...string[]] {
  return [`${layout.current}/node`, ...nodeFlags, `${layout.current}/dist/server/src/main.js`];
}
