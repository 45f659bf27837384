/** What Heroku and Dokku share: a Procfile, and an app.json beside it. */
import { fieldsOf, parseJson } from '../connection/config.ts';
import { UsageError } from '../usage-error.ts';
import type { Fields } from '../file/kinds.ts';
import { textOf, type ImportedService, type ReadFile, type Variables } from './imported.ts';

/** Process → command. */
export function processesOf(text: string): Map<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const [, name, command] = /^\s*([A-Za-z0-9_-]+)\s*:\s*(.+?)\s*$/.exec(line) ?? [];
      return name === undefined || command === undefined || line.trim().startsWith('#')
        ? []
        : [[name, command] as const];
    }),
  );
}

export async function appJsonOf(read: ReadFile): Promise<Fields | undefined> {
  const text = await read('app.json');
  if (text === undefined) return undefined;
  const content = parseJson(text);
  if (typeof content !== 'object' || content === null) throw new UsageError('app.json is not valid JSON.');
  return fieldsOf(content);
}

/** A shell is what a command with anything but words in it needs. */
export function commandOf(command: string): string {
  return /[$&|;<>`(){}*?]/.test(command) ? `sh -c ${JSON.stringify(command)}` : command;
}

export interface Shared {
  /** Where the source comes from and how it is built. */
  source: Fields;
  variables: Variables;
  /** How many of each process. */
  quantities: ReadonlyMap<string, number>;
}

/** An application for each process; `release` runs before the release of the first. */
export function applicationsOf(
  processes: ReadonlyMap<string, string>,
  { source, variables, quantities }: Shared,
): Record<string, ImportedService> {
  const release = processes.get('release');
  const names = [...processes.keys()].filter((name) => name !== 'release');
  const all = names.length > 0 ? names : ['web'];
  return Object.fromEntries(
    all.map((name, index) => {
      const command = processes.get(name);
      const replicas = quantities.get(name);
      return [
        name,
        {
          kind: 'application',
          ...source,
          ...(command === undefined ? {} : { command: commandOf(command) }),
          ...(release !== undefined && index === 0 ? { preReleaseCommand: ['sh', '-c', release] } : {}),
          ...(replicas === undefined ? {} : { replicas }),
          ...(Object.keys(variables).length === 0 ? {} : { variables }),
        },
      ];
    }),
  );
}

export function quantitiesOf(formation: unknown): Map<string, number> {
  return new Map(
    Object.entries(fieldsOf(formation)).flatMap(([name, value]) => {
      const quantity = Number(textOf(fieldsOf(value)['quantity']) || NaN);
      return Number.isInteger(quantity) ? [[name, quantity] as const] : [];
    }),
  );
}
