/** A small application as people have it; the Dockerfile that it gets stands in `dockerfiles/`. */
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

/** The Dockerfile as a person approved it; without the settings of the static server. */
export const dockerfileOf = ({ name }: Sample): string =>
  readFileSync(new URL(`dockerfiles/${name}.dockerfile`, import.meta.url), 'utf8');

/** A lock file that its package manager wrote (`locks/`). */
export const lockOf = (name: string): string =>
  readFileSync(new URL(`locks/${name}`, import.meta.url), 'utf8');

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;
