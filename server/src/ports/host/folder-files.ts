/** Files in folders of a machine, whichever it is; paths are absolute there. */
export interface FolderFiles {
  /** What is in the folder; undefined when there is no such folder. */
  list(path: string): Promise<FolderEntry[] | undefined>;
  /** The text of a file; undefined when it is not there. */
  read(path: string): Promise<string | undefined>;
  write(path: string, content: string, mode: number): Promise<void>;
  /** Makes the folder and those above it, only for their owner; one that is there stays as it is. */
  makeFolder(path: string): Promise<void>;
  /** Renames a folder; one of the new name that holds something stays, and then nothing is done. */
  renameFolder(from: string, to: string): Promise<void>;
  /** A file, or a folder with everything in it; fine when it is not there. */
  remove(path: string): Promise<void>;
}

export interface FolderEntry {
  name: string;
  kind: 'file' | 'folder' | 'other';
}
