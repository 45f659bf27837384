/** Variables as rows and as text, comments and order kept. */

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

/** `KEY=VALUE` lines, `export` and quotes allowed; what is none is left out. */
export function variablesOf(text: string): Variable[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, raw] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=(.*)$/.exec(line) ?? [];
    return name === undefined || raw === undefined
      ? []
      : [{ key: newKey(), name, value: unquoted(raw.trim()) }];
  });
}

/** Each with the key of the one that had its name, so that its fields stay the same on the screen. */
export function withKeysOf(former: readonly Variable[], variables: readonly Variable[]): Variable[] {
  const keys = new Map(former.map(({ name, key }) => [name, key]));
  return variables.map((variable) => ({ ...variable, key: keys.get(variable.name) ?? variable.key }));
}

function unquoted(raw: string): string {
  const [, single] = /^'([^']*)'$/.exec(raw) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"$/.exec(raw) ?? [];
  if (double === undefined) return raw;
  return double.replaceAll(/\\(.)/g, (_whole, letter: string) =>
    letter === 'n' ? '\n' : letter === 't' ? '\t' : letter,
  );
}

/** Quoted where the value needs it. */
export function lineOf({ name, value }: Pick<Variable, 'name' | 'value'>): string {
  if (/^[^\s'"#\\]*$/.test(value)) return `${name}=${value}`;
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
  const kept = stored.split(/\r?\n/).flatMap((line) => {
    const [own] = variablesOf(line);
    if (!own) return [line];
    const at = left.findIndex(({ name }) => name === own.name);
    const [now] = at < 0 ? [] : left.splice(at, 1);
    if (!now) return [];
    return [before.get(now.name) === now.value ? line : lineOf(now)];
  });
  return [...kept, ...left.map(lineOf)].join('\n').replace(/^\n+|\n+$/g, '');
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
