/**
 * What a row of the conformance suite is: a call as the document describes it, and what the document says of
 * its answer. Plain data; `<name>` in a text stands for what the world, or an earlier call, has under that
 * name.
 */
import type { ErrorCode, FlatRefusal } from '../../server/src/domain/errors.ts';
import type { PersonName } from '../world/people.ts';
import type { DocumentedRule } from './documented-rules.ts';

/** Any value of a kind, where the document does not fix it. */
export const any = {
  text: { any: 'text' },
  number: { any: 'number' },
  boolean: { any: 'boolean' },
  time: { any: 'time' },
  list: { any: 'list' },
  object: { any: 'object' },
  id: { any: 'id' },
  textOrNull: { any: 'textOrNull' },
  numberOrNull: { any: 'numberOrNull' },
  matching: (pattern: RegExp) => ({ any: 'matching', pattern }) as const,
  /** A list in which each item is so. */
  listOf: (item: unknown) => ({ any: 'listOf', item }) as const,
  /** A field that must not be there. */
  absent: { any: 'absent' },
} as const;

export interface Step {
  call: string;
  /** The owner by key, or by session where a key is refused, unless somebody else is named. */
  as?: PersonName | 'nobody' | 'narrowed' | { person: PersonName; by: 'session' | 'key' };
  input?: unknown;
  /** Of an upload. */
  file?: Record<string, string>;
  /** The answer holds at least this; a list exactly these items. */
  gives?: unknown;
  refused?: ErrorCode;
  /** The field that the refusal names. */
  field?: string;
  /** The flat refusal. */
  flat?: FlatRefusal;
  /** What the sentence of a refusal says. */
  says?: string;
  /** Names of values of the answer, by the way to them (`project.projectId`), for later calls. */
  keep?: Readonly<Record<string, string>>;
}

export interface Row extends Step {
  /** What it shows. A row without one shows the procedure's good call. */
  rule?: DocumentedRule | readonly DocumentedRule[];
  /** Calls that must succeed before. */
  before?: readonly Step[];
  /** Calls that show what has become of it. */
  after?: readonly Step[];
  /** The answer comes from a running engine and proxy; without it the row waits for the suite on a host. */
  needs?: 'engine';
  /** Things of the installation, which only its first organization reaches. */
  installation?: boolean;
}

/** Rows of a router. */
export type Rows = readonly Row[];
