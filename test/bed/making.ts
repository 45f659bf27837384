import type { SystemName } from './host/systems.ts';
import type { Argv, CommandOptions, CommandResult } from '../../images/command.ts';

/** A bed in which something for the cache is made. Beds stand on what is made, so they give it from above. */
export interface MakingBed {
  readonly name: string;
  host(
    name: string,
    options: { index: number; engine?: boolean; root?: 'overlay' | 'bare'; system?: SystemName },
  ): Promise<MakingHost>;
  close(): Promise<void>;
}

export interface MakingHost {
  readonly name: string;
  readonly engineSocket: string;
  exec(argv: Argv, options: Partial<CommandOptions>): Promise<CommandResult>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** What making something for the cache takes. */
export interface Making {
  openBed(options: { name: string; log: (line: string) => void; signal: AbortSignal }): Promise<MakingBed>;
  signal: AbortSignal;
}
