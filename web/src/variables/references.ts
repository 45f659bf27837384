/** What `${{…}}` may name in a variable of a service: what completes it, and what stands there in error. */
import { referencesIn, variableNamed, variablesIn, type Blocks } from './preview.ts';

/** Services of the environment by their names, with the fields that references have of them. */
export type NamedServices = ReadonlyMap<string, readonly string[]>;

const ofDatabases = ['URL', 'HOST', 'PORT', 'USER', 'PASSWORD', 'DATABASE'];
const ofApplications = ['HOST'];
const databases = ['postgres', 'mysql', 'mariadb', 'mongo', 'redis'] as const;

type Environment = Readonly<
  Record<'applications' | 'compose' | (typeof databases)[number], readonly { name: string }[]>
>;

export function servicesOf(environment: Environment): NamedServices {
  const named = (services: readonly { name: string }[], fields: readonly string[]) =>
    services.map(({ name }) => [name, fields] as const);
  return new Map([
    // Nothing of a compose service can be named, which a sentence says.
    ...named(environment.compose, []),
    ...named(environment.applications, ofApplications),
    ...databases.flatMap((kind) => named(environment[kind], ofDatabases)),
  ]);
}

/** Everything that a reference in this variable can name. */
export function namesFor(variable: string, blocks: Blocks, services: NamedServices): string[] {
  const ofServices = [...services].flatMap(([name, fields]) => fields.map((field) => `${name}.${field}`));
  const variables = [...new Set([...blocks.own.keys(), ...blocks.secrets])].filter(
    (name) => name !== '' && name !== variable,
  );
  const shared = (['environment', 'project'] as const).flatMap((place) =>
    [...variablesIn(blocks[place])].map((name) => `${place}.${name}`),
  );
  return [...ofServices, ...shared, ...variables];
}

/** A sentence for each reference that names nothing. */
export function faultsIn(variable: string, value: string, blocks: Blocks, services: NamedServices): string[] {
  return referencesIn(value).flatMap((inner) => {
    if (variableNamed(inner, variable, blocks)) return [];
    const dot = inner.lastIndexOf('.');
    const [service, field] = dot < 0 ? [inner, ''] : [inner.slice(0, dot), inner.slice(dot + 1)];
    const fields = services.get(service);
    if (fields?.includes(field)) return [];
    if (fields === undefined)
      return [`Nothing here is called ${inner === '' ? '""' : inner}. ${wordsOf(services)}`];
    if (fields.length === 0)
      return [`${service} is a compose service, of which nothing can be named. Write its host name instead.`];
    return [`${service} has no ${field === '' ? 'value of that name' : field}: it has ${fields.join(', ')}.`];
  });
}

function wordsOf(services: NamedServices): string {
  const names = [...services].filter(([, fields]) => fields.length > 0).map(([name]) => name);
  return names.length === 0
    ? 'Services of this environment could be named.'
    : `Services that can be named: ${names.slice(0, 8).join(', ')}${names.length > 8 ? ' …' : ''}.`;
}

/** The reference that is being written at the caret: what stands of it so far, and where it began. */
export function openReference(value: string, caret: number): { typed: string; from: number } | undefined {
  const from = value.lastIndexOf('${{', caret - 1);
  if (from < 0 || value[from - 1] === '$') return undefined;
  const typed = value.slice(from + 3, caret);
  return /[{}\n]/.test(typed) ? undefined : { typed: typed.trimStart(), from };
}

/** The value and the caret after a name was picked for the reference that begins there. */
export function completed(
  value: string,
  { from, caret, name }: { from: number; caret: number; name: string },
): { value: string; caret: number } {
  const before = `${value.slice(0, from)}\${{${name}}}`;
  return { value: `${before}${value.slice(caret).replace(/^[^{}\s]*\}\}/, '')}`, caret: before.length };
}
