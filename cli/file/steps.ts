/** What a plan is made of. */
import type { Cause } from './kinds.ts';

/** One field that differs. */
export interface Change {
  field: string;
  /** As people read it; absent: it was not there, or a secret value is not told. */
  from?: string | undefined;
  to?: string | undefined;
  cause: Cause;
  note?: string | undefined;
}

export type Action = 'create' | 'change' | 'remove';

export interface Step {
  action: Action;
  /** `project shop`, `environment shop/staging`, `application shop/web`. */
  what: string;
  changes: readonly Change[];
  cause: Cause;
  /** Does it; what it needs of steps before it is there by then. */
  run(): Promise<void>;
}

export interface Plan {
  steps: readonly Step[];
  /** Why it cannot be applied; each a sentence. */
  problems: readonly string[];
  /** What is not as the file says and stays: a sentence each. */
  notes: readonly string[];
}

const shownLimit = 60;

/** A value in a line of a plan. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value ?? null);
  return text.length > shownLimit ? `${text.slice(0, shownLimit - 1)}…` : text;
}

/** Values of variables are secrets as often as not: names alone are told. */
export function variableChanges(
  wanted: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string>,
  cause: Cause,
): Change[] {
  const names = [...new Set([...present.keys(), ...wanted.keys()])].toSorted();
  return names.flatMap((name): Change[] => {
    const field = `variables.${name}`;
    if (!wanted.has(name)) return [{ field, cause, note: 'removed' }];
    if (!present.has(name)) return [{ field, cause, note: 'added' }];
    return wanted.get(name) === present.get(name) ? [] : [{ field, cause, note: 'changed' }];
  });
}
