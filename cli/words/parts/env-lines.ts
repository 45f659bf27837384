/** Variables as a block of `NAME=value` lines: comments, order and empty lines stay where they are. */
import { formatEnv, parseEnv, parseEnvLines } from '../../../server/src/domain/variables/dotenv.ts';
import { UsageError } from '../../usage-error.ts';

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=([\s\S]*)$/;

/**
 * Name → value; the last of a name counts. Throws where a line is no variable, naming the block by `what` and
 * the line.
 */
export function variablesOf(text: string, what?: string): Map<string, string> {
  return new Map(parseEnv(text, what).map(({ name, value }) => [name, value]));
}

/** The block with these variables set: in place where they are, at the end where they are new. */
export function withVariables(text: string, changes: ReadonlyMap<string, string>): string {
  const left = new Map(changes);
  const lines = parseEnvLines(text.replace(/\r?\n$/, '')).flatMap(({ text: line, variable }) => {
    const value = variable && changes.get(variable.name);
    if (variable === undefined || value === undefined) return [line];
    // A name that stands there twice is set once.
    return left.delete(variable.name) ? [lineOf(variable.name, value)] : [];
  });
  return [...lines, ...[...left].map(([name, value]) => lineOf(name, value))].join('\n');
}

/** In quotes where the value would be read as another one without. */
function lineOf(name: string, value: string): string {
  return formatEnv({ [name]: value }).replace(/\n$/, '');
}

export function withoutVariables(text: string, names: ReadonlySet<string>): string {
  return parseEnvLines(text)
    .filter(({ variable }) => !names.has(variable?.name ?? ''))
    .map((line) => line.text)
    .join('\n');
}

/** `NAME=VALUE` arguments, each value as it is; throws UsageError for what is none. */
export function assignmentsOf(texts: readonly string[]): Map<string, string> {
  return new Map(
    texts.map((text) => {
      const [, name, value] = assignment.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(
          `"${text.split('=')[0] ?? ''}" is not a variable. Write NAME=VALUE; a name has letters, digits, ` +
            '"_", "." and "-" and begins with a letter or "_".',
        );
      return [name, value] as const;
    }),
  );
}

export interface Difference {
  name: string;
  change: 'added' | 'changed' | 'removed';
}

/** What a change from one block to the other, which faults call `what`, does, by name. */
export function differences(from: string, to: string, what?: string): Difference[] {
  const [before, after] = [variablesOf(from), variablesOf(to, what)];
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names.flatMap((name): Difference[] => {
    if (!before.has(name)) return [{ name, change: 'added' }];
    if (!after.has(name)) return [{ name, change: 'removed' }];
    return before.get(name) === after.get(name) ? [] : [{ name, change: 'changed' }];
  });
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
