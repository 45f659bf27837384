/**
 * What variables will be, as far as a page may know it: references are put in as the server does it, but for
 * those to secrets, and to services, whose values a deployment alone knows.
 */
import { variablesOf } from './env-text.ts';

export interface Shared {
  /** Variables of the project and of the environment, as text. */
  project: string;
  environment: string;
}

export interface Blocks extends Shared {
  own: ReadonlyMap<string, string>;
  /** Names of the service's secrets, which win over its variables. */
  secrets: ReadonlySet<string>;
}

export interface Preview {
  text: string;
  /** Where what was put in comes from, or will. */
  origins: readonly string[];
}

export interface Inherited extends Preview {
  name: string;
  from: 'environment' | 'project';
}

/** As the server reads them: `$${{` stands for itself. */
const reference = /(\$?)\$\{\{([^{}]{0,256})\}\}/g;
const variableName = /^(?:(project|environment)\.)?([A-Za-z_][A-Za-z0-9_.-]*)$/;

/** Weakest first. */
const places = ['project', 'environment', 'service'] as const;
type Place = (typeof places)[number];
const placeWords: Record<Place, string> = {
  project: 'the project',
  environment: 'the environment',
  service: 'this service',
};
type Scopes = Readonly<Record<Place, ReadonlyMap<string, string>>>;

/** Of a variable of the service; undefined for a value that refers to nothing. */
export function previewOf(name: string, value: string, blocks: Blocks): Preview | undefined {
  const found = putIn({ place: 'service', name, value }, scopesOf(blocks), blocks.secrets);
  return found.origins.length === 0 && found.text === value ? undefined : found;
}

/** What the service gets besides its own: of its environment, and of its project. */
export function inheritedOf(blocks: Blocks): Inherited[] {
  const scopes = scopesOf(blocks);
  const taken = new Set([...blocks.own.keys(), ...blocks.secrets]);
  return (['environment', 'project'] as const).flatMap((from) =>
    [...scopes[from]].flatMap(([name, value]) => {
      if (taken.has(name)) return [];
      taken.add(name);
      return [{ name, from, ...putIn({ place: from, name, value }, scopes, blocks.secrets) }];
    }),
  );
}

/** Whose variable of the same name the service's own one replaces. */
export function replacedBy(name: string, { project, environment }: Shared): string | undefined {
  if (mapOf(environment).has(name)) return placeWords.environment;
  return mapOf(project).has(name) ? placeWords.project : undefined;
}

/** What stands between the braces of each reference. */
export const referencesIn = (value: string): string[] =>
  [...value.matchAll(reference)].flatMap(([, escape, inner = '']) => (escape === '' ? [inner.trim()] : []));

/** Whether a reference in this variable of the service names another variable or a secret. */
export function variableNamed(inner: string, variable: string, blocks: Blocks): boolean {
  const [, place, name] = variableName.exec(inner) ?? [];
  if (name === undefined) return false;
  if (place === undefined && blocks.secrets.has(name)) return true;
  const asking = { place: 'service', name: variable, value: '' } as const;
  return seen(name, place as Place | undefined, asking, scopesOf(blocks)) !== undefined;
}

interface Variable {
  place: Place;
  name: string;
  value: string;
}

function putIn(
  variable: Variable,
  scopes: Scopes,
  secrets: ReadonlySet<string>,
  open: ReadonlySet<string> = new Set(),
): Preview {
  const origins = new Set<string>();
  const within = new Set([...open, `${variable.place}.${variable.name}`]);
  const text = variable.value.replaceAll(reference, (whole, escape: string, inner: string) => {
    if (escape !== '') return whole.slice(1);
    const [, place, name] = variableName.exec(inner.trim()) ?? [];
    const target = name === undefined ? undefined : seen(name, place as Place | undefined, variable, scopes);
    if (variable.place === 'service' && place === undefined && secrets.has(name ?? ''))
      return origins.add('a secret'), whole;
    if (!target) return origins.add(serviceOf(inner)), whole;
    origins.add(placeWords[target.place]);
    // In a circle; the server refuses it.
    if (within.has(`${target.place}.${target.name}`)) return whole;
    const further = putIn(target, scopes, secrets, within);
    for (const origin of further.origins) origins.add(origin);
    return further.text;
  });
  return { text, origins: [...origins] };
}

const serviceOf = (inner: string): string => inner.trim().split('.', 1)[0] ?? '';

/** The strongest that it may refer to; one that names itself means that which it replaces. */
function seen(
  name: string,
  wanted: Place | undefined,
  asking: Variable,
  scopes: Scopes,
): Variable | undefined {
  const from = wanted ?? asking.place;
  for (const place of places.slice(0, places.indexOf(from) + 1).toReversed()) {
    if (wanted !== undefined && place !== wanted) continue;
    const value = scopes[place].get(name);
    if (value === undefined || (place === asking.place && name === asking.name)) continue;
    return { place, name, value };
  }
  return undefined;
}

const scopesOf = ({ own, project, environment }: Blocks): Scopes => ({
  project: mapOf(project),
  environment: mapOf(environment),
  service: own,
});

/** Names of the variables in a text. */
export const variablesIn = (text: string): Iterable<string> => mapOf(text).keys();

const mapOf = (text: string): ReadonlyMap<string, string> =>
  new Map(variablesOf(text).map(({ name, value }) => [name, value]));
