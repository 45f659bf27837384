/**
 * Input fields that reach the machine itself (decisions 2): declared with the procedure, decided by the
 * guard. Pure.
 */
import { isLocalAddress } from '../domain/git/git-source.ts';

/** An input field, and the values of it that reach the machine. */
export interface HostReachField {
  field: string;
  when: HostReachCondition;
  /** With this value of another field it does not: `{ field: 'provider', is: 's3' }`. */
  unless?: { field: string; is: string };
}

interface Condition {
  holds(value: unknown): boolean;
  /** Goes on after the field's name: "when it …". */
  words: string;
}

const conditions = {
  given: { holds: (value) => value !== undefined && value !== null && value !== '', words: 'is given' },
  absolutePath: {
    holds: (value) => typeof value === 'string' && value.trimStart().startsWith('/'),
    words: 'is an absolute path',
  },
  localRepository: {
    holds: (value) => typeof value === 'string' && isLocalAddress(value),
    words: 'names a repository of this server',
  },
  below1024: { holds: (value) => typeof value === 'number' && value < 1024, words: 'is below 1024' },
} as const satisfies Record<string, Condition>;
export type HostReachCondition = keyof typeof conditions;

/** Of a narrowed key: the action that it must name besides the procedure's own. */
export const hostReachAction = 'hostReach';

/** The first of these fields that reaches the machine in this input. */
export function reachingField(fields: readonly HostReachField[], input: unknown): HostReachField | undefined {
  const valueOf = (field: string): unknown =>
    typeof input === 'object' && input !== null ? Reflect.get(input, field) : undefined;
  return fields.find(
    ({ field, when, unless }) =>
      conditions[when].holds(valueOf(field)) && (unless === undefined || valueOf(unless.field) !== unless.is),
  );
}

/** For people: `path is an absolute path`. */
export function wordsOf({ field, when, unless }: HostReachField): string {
  return `${field} ${conditions[when].words}${unless ? ` (${unless.field} other than ${unless.is})` : ''}`;
}
