/** A small application as people have it, and the Dockerfile that Berth's own builder writes for it. */

import { readFileSync } from 'node:fs';

export interface Sample {
  name: string;
  /** Path → text. */
  files: Readonly<Record<string, string>>;
  /** Folder that is built; absent: the root. */
  folder?: string;
  /** Names of variables and secrets that the build gets. */
  variables?: readonly string[];
  secrets?: readonly string[];
  publishDirectory?: string;
  isSinglePage?: boolean;
  /** As it was read and approved by a person; without the lines of the static server. */
  dockerfile: string;
  port: number;
  framework?: string;
  watchPaths?: readonly string[];
  /** Built in earnest: its page says hello, and goodbye after the change. */
  real?: RealBuild;
}

export interface RealBuild {
  page: string;
  changed: Readonly<Record<string, string>>;
}

/** A lock file that its package manager wrote (`locks/`). */
export const lockOf = (name: string): string =>
  readFileSync(new URL(`locks/${name}`, import.meta.url), 'utf8');

export const json = (value: unknown): string => JSON.stringify(value, null, 2);
