/** What a word of the command line is: a row of a table over procedures. */
import type { Contracts } from '../../../server/src/modules/contracts.ts';
import type { terminalContract } from '../../../server/src/modules/terminal/contract.ts';
import type { Context } from './context.ts';

/** What a key may be allowed: the procedures, and the two that are asked for by WebSocket. */
type All = Contracts & { terminal: typeof terminalContract };

/** `router.procedure`, as the contracts know them. */
export type ProcedureName = {
  [R in keyof All]: `${R}.${Extract<keyof All[R], string>}`;
}[keyof All];

export interface Option {
  /** One letter. */
  short?: string;
  /** What it takes, for help; without one it is on or off. */
  value?: string;
  /** Given more than once, all count. */
  multiple?: boolean;
  description: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface Word {
  /** As it is written: `logs`, `env set`. */
  name: string;
  /** The arguments, for help. */
  usage: string;
  /** A line for the list. */
  summary: string;
  /** For its own help, where the summary is not enough. */
  description?: string;
  options?: Options;
  /** How many arguments it takes at most; absent: any number. */
  most?: number;
  /** The procedures that it may call: what a key must be allowed. */
  calls: readonly ProcedureName[];
  /** Of use to other programs only; not in the list. */
  hidden?: boolean;
  /** Gives the exit code; without one, 0. */
  run(context: Context): Promise<number | void>;
}

export const commonOptions = {
  json: { description: 'prints JSON, the default in a pipe' },
  table: { description: 'prints a table, also in a pipe' },
  url: { value: 'URL', description: 'address of the Berth server' },
  key: {
    value: 'KEY',
    description: 'API key; other users of this machine can see it, so prefer BERTH_API_KEY',
  },
  help: { short: 'h', description: 'shows this help' },
} as const satisfies Options;
