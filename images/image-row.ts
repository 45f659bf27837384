/** A row of a table of images. */
import type { Suite } from './base-rootfs.ts';

/** An image that is made from Debian's packages and the npm registry only. */
export interface ImageRow {
  use: string;
  /** Of a base: the Debian release whose root file system it is. */
  suite?: Suite;
  /** Of any other: the folder of its Dockerfile, from the repository's root. */
  recipe?: string;
  /** The image of ours that it is built upon; its Dockerfile gets the name as BASE. */
  from?: string;
  /** Further build arguments. */
  args?: Readonly<Record<string, string>>;
  /** What the Dockerfile copies besides its recipe. */
  extra?: Extra;
  /** Set-up makes it no more, and only renews it where it is. */
  former?: true;
}

export interface Extra {
  lay(context: string, signal: AbortSignal): Promise<void>;
  /** What of it belongs to the recipe. */
  text(): Promise<string>;
}

export type ImageRows = Readonly<Record<string, ImageRow>>;
