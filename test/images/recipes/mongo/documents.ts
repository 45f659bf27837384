/** The documents of the stand-in, kept as one file, and the few operators that its users need. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { EJSON, type Document } from 'bson';

export interface State {
  databases: Record<string, Record<string, Document[]>>;
  users: Record<string, StoredUser>;
  set: Document | null;
}

export interface StoredUser {
  salt: string;
  iterations: number;
  storedKey: string;
  serverKey: string;
}

const folder = '/data/db';
const file = `${folder}/store.json`;

export function readState(): State {
  try {
    const stored: unknown = EJSON.parse(readFileSync(file, 'utf8'), { relaxed: false });
    return stored as State;
  } catch {
    return { databases: {}, users: {}, set: null };
  }
}

export function writeState(state: State): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.new`, EJSON.stringify(state, { relaxed: false }));
  renameSync(`${file}.new`, file);
}

const keyOf = (value: unknown): string => EJSON.stringify(value);

/** Equality of whole fields; the operators that a test would use are few. */
export function matches(document: Document, filter: Document = {}): boolean {
  return Object.entries(filter).every(([name, wanted]) => keyOf(document[name]) === keyOf(wanted));
}

export function change(document: Document, update: Document): void {
  for (const [name, value] of Object.entries((update['$set'] ?? {}) as Document)) document[name] = value;
  for (const [name, value] of Object.entries((update['$inc'] ?? {}) as Document))
    document[name] = Number(document[name] ?? 0) + Number(value);
}
