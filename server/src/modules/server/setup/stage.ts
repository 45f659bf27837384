/** A stage of a server's set-up, and what it works with. */
import type { Host } from '../../../ports/host/host.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import type { ReleaseSource } from './release-source.ts';

export interface SetupContext {
  shell: ServerShell;
  host: Host;
  serverType: 'deploy' | 'build';
  /** Whether it is a node of another server's cluster. */
  isNode: boolean;
  signal: AbortSignal;
  /** A line of the log. */
  say(text: string): void;
  /** Throws CONFLICT when the engine of the server is another installation's. */
  claim(): Promise<void>;
  /** Puts network, proxy and routes of the server right. */
  settle(): Promise<void>;
  /** Images of Berth's own that the server needs. */
  images: { proxy: string; builder: string };
  /** Programs that build types need, as the settings name their releases. */
  releases: ReleaseSource & { addresses(): Promise<readonly string[]> };
  /** What the stages learn. */
  facts: { hasApt: boolean; hasSystemd: boolean };
}

/** Gives what it changed on the server, a sentence each. Throws AppError with the way out. */
export type Stage = (context: SetupContext) => Promise<string[]>;
