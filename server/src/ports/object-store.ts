/**
 * Where objects are kept: a bucket of a cloud, a folder of an SFTP server or of this one. Paths are relative
 * to the store, as `parseObjectPath` gives them.
 */
import type { Secret } from '../domain/secrets/secret.ts';

/** A store that is reached over the network; `destination.create` describes the fields of each provider. */
export interface RemotePlace {
  provider: 's3' | 'sftp' | 'azure' | 'gcs' | 'b2';
  accessKey: Secret;
  secretAccessKey: Secret;
  bucket: string;
  region: string;
  endpoint: string;
  /** Public keys of an SFTP server, one a line: algorithm and key. */
  hostKey?: string;
  /** Prefix inside the bucket or folder, or empty. */
  path: string;
}

/** How a store is reached. */
export type StorePlace =
  | RemotePlace
  | { provider: 'local' /** Absolute path of the folder. */; path: string };

export interface StoredObject {
  path: string;
  bytes: number;
  /** ISO 8601. */
  modifiedAt: string;
}

export interface StoreRoom {
  /** Bytes. */
  free: number;
  /** Whether Berth's own data are on the same disk. */
  isOwnDisk: boolean;
}

/**
 * Every failure is an AppError whose sentence names the store and what to do, and no key: PRECONDITION_FAILED
 * where the store refuses, SERVICE_UNAVAILABLE where it cannot be reached.
 */
export interface ObjectStore {
  /** The disk that objects are kept on; undefined where nobody can tell, as of a bucket. */
  room(): Promise<StoreRoom | undefined>;
  /**
   * Stores what the source gives; only so much of it is held in memory as is on its way. When the source
   * fails, its own error is thrown, and the object is not made; only when this process itself is killed may
   * it come to be with what had been read by then.
   */
  write(path: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** The object's bytes; fails when it is absent or ends early. */
  read(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  find(path: string, signal: AbortSignal): Promise<StoredObject | undefined>;
  /** Every object below this path (empty: all), in no order. */
  list(path: string, signal: AbortSignal): Promise<StoredObject[]>;
  /** Gives an object another path, at once or not at all; one that stands there is replaced. */
  rename(from: string, to: string, signal: AbortSignal): Promise<void>;
  /** An absent object is no error. */
  remove(path: string, signal: AbortSignal): Promise<void>;
  /** Private keys of age that open what is encrypted there; `read` gives what is stored. */
  readonly identities?: readonly Secret[];
}

/** `trial`: somebody waits for the answer, so every call fails early and is not tried anew. */
export type StoreUse = 'backups' | 'trial';

/** `organizationId`: whose destination it is. */
export type OpenStore = (place: StorePlace, organizationId: string, use?: StoreUse) => ObjectStore;
