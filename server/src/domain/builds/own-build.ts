/** What Berth's own builder knows of a build; a language is a row (`Language`). */
import type { Folder, SourceFiles } from './source-files.ts';

/** What a build is asked for, besides the source itself. */
export interface BuildWish {
  files: SourceFiles;
  /** Folder that is built, from the root of the source; empty for the root. */
  folder: string;
  /** Folder with the finished pages, as the application's settings name it. */
  publishDirectory: string | undefined;
  /** Whether every path of a static site shows its index.html, as the settings say. */
  isSinglePage: boolean;
  /** Names of variables that the build gets as arguments. */
  variables: readonly string[];
  /** Names of secrets that the build gets as mounts. */
  secrets: readonly string[];
  /** Image of Caddy that serves static sites. */
  staticImage: string;
}

/** A wish as a language sees it. */
export interface Source extends BuildWish {
  /** The folder that is built. */
  app: Folder;
  root: Folder;
  procfile: Procfile;
}

export interface Procfile {
  web: string | undefined;
  release: string | undefined;
  workers: readonly { name: string; command: string }[];
}

/** An image that a build begins from. */
export interface BaseImage {
  /** As a registry has it. */
  official: string;
  /** As set-up makes it where no registry answers; absent for those it does not make. */
  ours?: string;
}

export interface OwnBuild {
  language: string;
  framework: string | undefined;
  dockerfile: string;
  dockerignore: string;
  /** Folder that the build sees, from the root of the source: in a monorepo the root. */
  context: string;
  startCommand: readonly string[];
  port: number;
  /** Why the build is like that: sentences for the log. */
  why: readonly string[];
  bases: readonly BaseImage[];
  /** Patterns of paths whose changes concern this application of a monorepo; empty elsewhere. */
  watchPaths: readonly string[];
}

/** Sentence of a source that is of this language and cannot be built, with what to do. */
export interface Refusal {
  refusal: string;
}

export interface Language {
  name: string;
  /** The file names that show it, for sentences. */
  shownBy: string;
  /** Whether detection reads a file of this path. */
  reads: RegExp;
  /** Undefined when the source is not of this language. */
  plan(source: Source): OwnBuild | Refusal | undefined;
}

/** The Dockerfile that Berth wrote, and why it is so, as it is stored. */
export interface WrittenBuild {
  language: string;
  framework: string | null;
  dockerfile: string;
  dockerignore: string;
  startCommand: string[];
  port: number;
  reasons: string[];
  watchPaths: string[];
}

/** More is no Dockerfile that anybody reads; the log has it. */
const longestKept = 200_000;

export function writtenBuild(own: OwnBuild): WrittenBuild | null {
  const { language, framework = null, dockerfile, dockerignore, port, startCommand, why, watchPaths } = own;
  const lists = { startCommand: [...startCommand], reasons: [...why], watchPaths: [...watchPaths] };
  const written = { language, framework, dockerfile, dockerignore, port, ...lists };
  return JSON.stringify(written).length > longestKept ? null : written;
}
