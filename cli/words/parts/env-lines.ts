/** Variables as `KEY=VALUE` lines: comments, order and empty lines stay where they are. */
import { UsageError } from '../../usage-error.ts';

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=([\s\S]*)$/;

/** Name → value of each line that sets one; the last of a name counts. */
export function variablesOf(text: string): Map<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const [, name, value] = assignment.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** The lines with these variables set: in place where they are, at the end where they are new. */
export function withVariables(text: string, changes: ReadonlyMap<string, string>): string {
  const left = new Map(changes);
  const lines = text === '' ? [] : text.replace(/\n$/, '').split(/\r?\n/);
  const changed = lines.flatMap((line) => {
    const name = nameOfLine(line);
    const value = name === undefined ? undefined : changes.get(name);
    if (name === undefined || value === undefined) return [line];
    // A name that stands there twice is set once.
    return left.delete(name) ? [`${name}=${value}`] : [];
  });
  return [...changed, ...[...left].map(([name, value]) => `${name}=${value}`)].join('\n');
}

export function withoutVariables(text: string, names: ReadonlySet<string>): string {
  return text
    .split(/\r?\n/)
    .filter((line) => !names.has(nameOfLine(line) ?? ''))
    .join('\n');
}

/** `KEY=VALUE` arguments; throws UsageError for what is none. */
export function assignmentsOf(texts: readonly string[]): Map<string, string> {
  return new Map(
    texts.map((text) => {
      const [, name, value] = assignment.exec(text) ?? [];
      if (name === undefined || value === undefined || /\n/.test(value))
        throw new UsageError(
          `"${text.split('=')[0] ?? ''}" is not a variable. Write NAME=VALUE in one line; names have` +
            ' letters, digits and "_".',
        );
      return [name, value] as const;
    }),
  );
}

export interface Difference {
  name: string;
  change: 'added' | 'changed' | 'removed';
}

/** What a change from one text to the other does, by name. */
export function differences(from: string, to: string): Difference[] {
  const [before, after] = [variablesOf(from), variablesOf(to)];
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names.flatMap((name): Difference[] => {
    if (!before.has(name)) return [{ name, change: 'added' }];
    if (!after.has(name)) return [{ name, change: 'removed' }];
    return before.get(name) === after.get(name) ? [] : [{ name, change: 'changed' }];
  });
}

function nameOfLine(line: string): string | undefined {
  return assignment.exec(line)?.[1];
}

/**
 * My changes of `from` made to what somebody else made of it; a usage error names the variables that both
 * changed.
 */
export function merged(from: string, mine: string, theirs: string): string {
  const changes = differences(from, mine);
  const taken = new Set(differences(from, theirs).map(({ name }) => name));
  const both = changes.map(({ name }) => name).filter((name) => taken.has(name));
  if (both.length > 0)
    throw new UsageError(
      `Somebody else changed ${both.join(', ')} meanwhile, and nothing was saved. See \`berth env get\`, ` +
        'then give the command again.',
    );
  const values = variablesOf(mine);
  const set = changes.flatMap(({ name }) => {
    const value = values.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const removed = changes.filter(({ change }) => change === 'removed').map(({ name }) => name);
  return withVariables(withoutVariables(theirs, new Set(removed)), new Map(set));
}
