/**
 * Input fields that reach the machine itself (decisions 2): declared with the procedure, decided by the
 * guard. Pure.
 */
import { isLocalAddress } from '../domain/git/git-source.ts';

/** An input field, and the values of it that reach the machine. */
export interface HostReachField {
  field: string;
  when: HostReachCondition;
  /** With one of these values of another field it does not: `{ field: 'provider', is: ['s3'] }`. */
  unless?: { field: string; is: readonly string[] };
}

interface Condition {
  holds(value: unknown): boolean;
  /** It is Berth's own machine that it reaches, wherever a service stands. */
  isBerths?: boolean;
  /** Goes on after the field's name: "when it …". */
  words: string;
}

const conditions = {
  given: { holds: (value) => value !== undefined && value !== null && value !== '', words: 'is given' },
  absolutePath: {
    holds: (value) => typeof value === 'string' && value.trimStart().startsWith('/'),
    words: 'is an absolute path',
    isBerths: true,
  },
  localRepository: {
    holds: (value) => typeof value === 'string' && isLocalAddress(value),
    words: 'names a repository of this server',
    isBerths: true,
  },
  below1024: { holds: (value) => typeof value === 'number' && value < 1024, words: 'is below 1024' },
} as const satisfies Record<string, Condition>;
export type HostReachCondition = keyof typeof conditions;

/** Of a narrowed key: the action that it must name besides the procedure's own. */
export const hostReachAction = 'hostReach';

/** Whether the field reaches Berth's own machine, which no trusted server stands for. */
export function reachesBerths({ when }: HostReachField): boolean {
  const condition: Condition = conditions[when];
  return condition.isBerths === true;
}

/** Those of these fields that reach the machine in this input. */
export function reachingFields(fields: readonly HostReachField[], input: unknown): HostReachField[] {
  const valueOf = (field: string): unknown =>
    typeof input === 'object' && input !== null ? Reflect.get(input, field) : undefined;
  return fields.filter(
    ({ field, when, unless }) =>
      conditions[when].holds(valueOf(field)) &&
      (unless === undefined || !unless.is.includes(String(valueOf(unless.field)))),
  );
}

/** For people: `path is an absolute path`. */
export function wordsOf({ field, when, unless }: HostReachField): string {
  const except = unless ? ` (${unless.field} other than ${unless.is.join(', ')})` : '';
  return `${field} ${conditions[when].words}${except}`;
}
