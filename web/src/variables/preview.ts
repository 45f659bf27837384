/** What a value will be, as far as a page may know it: references of project and environment are put in. */
import { variablesOf } from './env-text.ts';

export interface Shared {
  /** Variables of the project and of the environment, as text. */
  project: string;
  environment: string;
}

export interface Preview {
  text: string;
  /** Where what was put in comes from, or will. */
  origins: readonly string[];
}

/** As the server reads them: `$${{` stands for itself. */
const reference = /(\$?)\$\{\{([^{}]{0,256})\}\}/g;

/** Undefined for a value that refers to nothing. */
export function previewOf(
  value: string,
  own: ReadonlyMap<string, string>,
  shared: Shared,
): Preview | undefined {
  const places = { project: mapOf(shared.project), environment: mapOf(shared.environment) };
  const origins = new Set<string>();
  const text = value.replaceAll(reference, (whole, escape: string, inner: string) => {
    if (escape !== '') return whole.slice(1);
    const [place = '', name] = inner.trim().split(/\.(.*)/s);
    if (name === undefined) {
      const [origin, found] = seen(place, own, places);
      origins.add(origin);
      return found ?? whole;
    }
    if (place !== 'project' && place !== 'environment') {
      origins.add(place);
      return whole;
    }
    origins.add(`the ${place}`);
    return places[place].get(name) ?? whole;
  });
  return origins.size === 0 && text === value ? undefined : { text, origins: [...origins] };
}

type Places = Readonly<Record<'project' | 'environment', ReadonlyMap<string, string>>>;

/** The service's own win over those of its environment, and these over the project's. */
function seen(name: string, own: ReadonlyMap<string, string>, places: Places): [string, string | undefined] {
  if (own.has(name)) return ['this service', own.get(name)];
  if (places.environment.has(name)) return ['the environment', places.environment.get(name)];
  return ['the project', places.project.get(name)];
}

const mapOf = (text: string): ReadonlyMap<string, string> =>
  new Map(variablesOf(text).map(({ name, value }) => [name, value]));
