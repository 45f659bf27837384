/** The few things done to files of a work folder. */
export interface WorkFiles {
  /** Empties and makes the folder. */
  fresh(directory: string): Promise<void>;
  remove(directory: string): Promise<void>;
  /** Copies a folder; links stay links and are not followed. */
  copy(source: string, target: string): Promise<void>;
  /**
   * The text of a file below `root`; undefined when it is not there. Throws BAD_REQUEST naming `field` for
   * what leads out of `root`, is no file, is larger than `maxBytes` or no text (UTF-8).
   */
  readInside(
    root: string,
    path: string,
    options: { field: string; maxBytes: number },
  ): Promise<string | undefined>;
  /**
   * Copies a file or folder below `root` to `target`; false when it is not there. Throws BAD_REQUEST naming
   * `field` for what leads out of `root`. Links within it stay links.
   */
  copyInside(root: string, path: string, target: string, options: { field: string }): Promise<boolean>;
  /**
   * Writes a file below `root` unless one is there; false when it was. Throws BAD_REQUEST naming `field` for
   * a folder that leads out of `root` or is not there.
   */
  writeInside(root: string, path: string, content: string, options: { field: string }): Promise<boolean>;
  /** Names in the folder; none when it is not there. */
  names(directory: string): Promise<string[]>;
  /**
   * Bytes that the files in the folder take, links not followed; none when it is not there. Counting ends
   * beyond `most`.
   */
  bytesIn(directory: string, most?: number): Promise<number>;
  /** Bytes free on the file system of the folder, or of where it will be. */
  freeBytes(directory: string): Promise<number>;
}
