/**
 * What is backed up. A backup takes a source, not a kind: a database, this Berth itself, a volume of an
 * application or compose service.
 */
import type { RunContext } from './runs/run-context.ts';
import type { BackupRecord, BackupRunRecord } from './store.ts';
import type { Bytes } from './runs/unpack/bytes.ts';

export interface BackupSource {
  /** What it is, for the log: "the database shop (postgres:17)". */
  title: string;
  /**
   * Its bytes, not compressed. They end only when they are whole: whatever is missing is an error, never a
   * short end.
   */
  read(): Bytes;
  /** What the object carries besides its bytes, for a restore elsewhere. */
  notes?: string | undefined;
  /** Digest of schema and settings; undefined when it is not known. Absent: objects are not tried out. */
  shape?(): Promise<string | undefined>;
  /** Values that no log may show. */
  secrets: readonly string[];
}

export interface BackupSourceKind {
  /** Ending of its objects, that of the compression included. */
  ending(backup: BackupRecord): string;
  /** Looks whether it can be read now; PRECONDITION_FAILED with what to do. */
  open(backup: BackupRecord, context: RunContext): Promise<BackupSource>;
  /** Ends and removes what a killed run of it left. */
  tidy(run: BackupRunRecord): Promise<void>;
}

/** One for each kind of source. */
export type BackupSources = Record<BackupRecord['sourceType'], BackupSourceKind>;
