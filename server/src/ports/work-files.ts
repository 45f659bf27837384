/** The few things done to files of a work folder. */
export interface WorkFiles {
  /** Empties and makes the folder. */
  fresh(directory: string): Promise<void>;
  remove(directory: string): Promise<void>;
  /** Copies a folder; links stay links and are not followed. */
  copy(source: string, target: string): Promise<void>;
  /** Writes a file unless one is there; false when it was. */
  writeNew(path: string, content: string): Promise<boolean>;
  /** Bytes free on the file system of the folder. */
  freeBytes(directory: string): Promise<number>;
}
