/** Variables as rows and as text, comments and order kept; read by the server's grammar. */
import { envLines, type EnvLine } from '../../../client/env-lines.ts';

export interface Variable {
  /** Of the row, stable while it is edited. */
  key: number;
  name: string;
  value: string;
  /** Stored as a secret: its value is never shown again. */
  isSecret?: boolean;
}

let count = 0;
export const newKey = (): number => (count += 1);

/** What a text says; where a line of it is not understood, why, and what stands before that line. */
export interface ReadText {
  variables: Variable[];
  /** `line 3: has no "="; write NAME=value`. */
  fault?: string;
}

export function readVariables(text: string): ReadText {
  try {
    return { variables: rowsOf(envLines(text)) };
  } catch (error) {
    const fault = (error instanceof Error ? error.message : String(error)).replace(/^: /, '');
    const line = Number(/^line (\d+):/.exec(fault)?.[1] ?? 1);
    const before = text
      .split('\n')
      .slice(0, line - 1)
      .join('\n');
    return { variables: rowsOf(envLines(before)), fault };
  }
}

/** Of a text that is stored, or as far as one that is typed is understood. */
export const variablesOf = (text: string): Variable[] => readVariables(text).variables;

const rowsOf = (lines: readonly EnvLine[]): Variable[] =>
  lines.flatMap(({ variable }) =>
    variable ? [{ key: newKey(), name: variable.name, value: variable.value }] : [],
  );

/** Each with the key of the one that had its name, so that its fields stay the same on the screen. */
export function withKeysOf(former: readonly Variable[], variables: readonly Variable[]): Variable[] {
  const keys = new Map(former.map(({ name, key }) => [name, key]));
  return variables.map((variable) => ({ ...variable, key: keys.get(variable.name) ?? variable.key }));
}

/** Quoted where the value needs it. */
export function lineOf({ name, value }: Pick<Variable, 'name' | 'value'>): string {
  if (/^[^\s'"`#\\]*$/.test(value)) return `${name}=${value}`;
  if (!/['\n\r\t]/.test(value)) return `${name}='${value}'`;
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `${name}="${escaped}"`;
}

/** The text that the variables are stored as; lines without change stay as they were written. */
export function textOf(stored: string, variables: readonly Variable[]): string {
  const left = variables.filter(({ name }) => name !== '');
  const before = new Map(variablesOf(stored).map(({ name, value }) => [name, value]));
  const kept = linesOf(stored).flatMap(({ text, variable }) => {
    if (!variable) return [text];
    const at = left.findIndex(({ name }) => name === variable.name);
    const [now] = at < 0 ? [] : left.splice(at, 1);
    if (!now) return [];
    return [before.get(now.name) === now.value ? text : lineOf(now)];
  });
  return [...kept, ...left.map(lineOf)].join('\n').replace(/^\n+|\n+$/g, '');
}

/** A text that is not understood is replaced by what is edited. */
function linesOf(stored: string): readonly EnvLine[] {
  try {
    return envLines(stored);
  } catch {
    return [];
  }
}

export interface Difference {
  name: string;
  what: 'added' | 'changed' | 'removed';
}

export function differences(stored: string, text: string): Difference[] {
  const before = new Map(variablesOf(stored).map(({ name, value }) => [name, value]));
  const after = new Map(variablesOf(text).map(({ name, value }) => [name, value]));
  return [
    ...[...after].flatMap(([name, value]): Difference[] =>
      !before.has(name)
        ? [{ name, what: 'added' }]
        : before.get(name) === value
          ? []
          : [{ name, what: 'changed' }],
    ),
    ...[...before.keys()]
      .filter((name) => !after.has(name))
      .map((name): Difference => ({ name, what: 'removed' })),
  ];
}
