/** A compose file with what it includes put in (compose-spec, include). Pure. */
import { posix } from 'node:path';
import { badField } from '../../../../domain/errors.ts';
import { lookUpIn, readEnvFile } from '../../../../domain/variables/env-expansion.ts';
import type { ComposeFile } from '../../compose-file.ts';
import { fault, type Place } from '../values.ts';
import { joined, merged, unresolved, withoutResets } from './extending.ts';
import {
  included,
  linkedFile,
  missing,
  type Included,
  type LinkedFiles,
  type Rooted,
} from './linked-files.ts';
import { definitionsIn, mapOf, rebased } from './rebasing.ts';

export interface Including {
  field: string;
  files: LinkedFiles;
  /** Variables of the compose, which stand above those of included files. */
  variables: Readonly<Record<string, string>>;
  /** The file with its variables put in, where it has some that the including file does not see. */
  interpolate(file: ComposeFile, variables: Readonly<Record<string, string>>): ComposeFile;
}

const definitions = ['volumes', 'networks', 'configs', 'secrets'] as const;
const deepest = 10;

/** The file with the services and definitions of those that it includes, and each service with its base. */
export function withIncluded(rooted: Rooted, including: Including, depth = 0): ComposeFile {
  const { field, files } = including;
  const whole = withOthers(rooted, { file: withBases(rooted, { field, files }), including, depth });
  const services = new Map([...whole.services].map(([name, service]) => [name, withoutResets(service)]));
  const top = new Map(whole.top);
  for (const key of definitions) if (mapOf(top.get(key)).size === 0) top.delete(key);
  return { top, services };
}

/** Each service with what it extends. */
const withBases = (rooted: Rooted, from: { field: string; files: LinkedFiles }): ComposeFile => ({
  ...rooted.file,
  services: unresolved(rooted, from),
});

interface Others {
  file: ComposeFile;
  including: Including;
  depth: number;
}

function withOthers(rooted: Rooted, { file, including, depth }: Others): ComposeFile {
  if (depth > deepest) throw badField(including.field, 'include is circular');
  const top = new Map(file.top);
  const services = new Map(file.services);
  top.delete('include');
  for (const each of included(rooted, including.field)) {
    const other = wholeOf(each, including, depth + 1);
    const prefix = posix.relative(rooted.folder, each.folder);
    for (const [name, service] of other.services)
      put(services, name, rebased(service, prefix), `the service ${name}`, each.place);
    for (const key of definitions) {
      const all = new Map(mapOf(top.get(key)));
      for (const [name, one] of definitionsIn(other.top.get(key), prefix))
        put(all, name, one, `${key}.${String(name)}`, each.place);
      top.set(key, all);
    }
  }
  return { top, services };
}

/** The same twice is once; docker compose refuses what differs. */
function put<V>(all: Map<unknown, V>, name: unknown, value: V, what: string, place: Place): void {
  if (all.has(name) && asText(all.get(name)) !== asText(value))
    throw fault(place, `brings in ${what}, which the file has as well, and otherwise`);
  all.set(name, value);
}

const asText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (inner instanceof Map ? [...inner] : inner)) ?? '';

/** The files of one entry, each later one merged over those before it. */
function wholeOf(
  { paths, folder, envFiles, place }: Included,
  including: Including,
  depth: number,
): ComposeFile {
  const { field, files } = including;
  const own = variablesOf(envFiles, { ...including, place });
  const inner = { ...including, variables: { ...own, ...including.variables } };
  const [first, ...others] = paths.map((path) => {
    const rooted = { file: linkedFile(path, { field, files, place }), folder };
    const file = withBases(rooted, { field, files });
    const known = Object.keys(own).length === 0 ? file : inner.interpolate(file, inner.variables);
    return withOthers(rooted, { file: known, including: inner, depth });
  });
  return others.reduce(over, first ?? { top: new Map(), services: new Map() });
}

/** A file merged over another, as `docker compose -f one -f other` does. */
function over(base: ComposeFile, own: ComposeFile): ComposeFile {
  const services = new Map(base.services);
  for (const [name, service] of own.services)
    services.set(name, merged(services.get(name) ?? new Map<unknown, unknown>(), service, new Set()));
  const top = new Map(base.top);
  for (const key of definitions) top.set(key, joined(mapOf(top.get(key)), mapOf(own.top.get(key))));
  return { top, services };
}

/** Variables of the env files that the including file does not have. */
function variablesOf(
  envFiles: Included['envFiles'],
  { field, files, variables, place }: Including & { place: Place },
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { path, required } of envFiles) {
    const text = files.get(path);
    if (text === undefined && required) throw fault(place, missing(path));
    if (text !== undefined)
      Object.assign(
        found,
        Object.fromEntries(readEnvFile(text, `${field}: ${path}`, lookUpIn(variables), lookUpIn(found))),
      );
  }
  return Object.fromEntries(Object.entries(found).filter(([name]) => !Object.hasOwn(variables, name)));
}

/** Names of services that the file has or includes, in order. */
export function serviceNames(rooted: Rooted, from: Omit<Including, 'variables' | 'interpolate'>): string[] {
  const whole = withOthers(rooted, {
    file: rooted.file,
    including: { ...from, variables: {}, interpolate: (file) => file },
    depth: 0,
  });
  return [...whole.services.keys()];
}
