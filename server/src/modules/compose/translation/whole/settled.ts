/** An included file that has variables of its own. Pure. */
import { resetValue, withTagOf, type ComposeFile, type YamlMap } from '../../compose-file.ts';

/**
 * A file whose variables are put in, in a form that the including file's variables do not change: each dollar
 * sign stands for itself, and what names a variable of its own has its value.
 */
export function settled(
  { top, services }: ComposeFile,
  values: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): ComposeFile {
  const own = (name: string): string | undefined =>
    Object.hasOwn(variables, name) || !Object.hasOwn(values, name) ? undefined : values[name];
  const service = (map: YamlMap): YamlMap => {
    const environment: unknown = map.get('environment');
    return environment === undefined || environment === null
      ? map
      : new Map([...map, ['environment', withOwn(environment, own)]]);
  };
  const stored = (value: unknown): unknown =>
    value instanceof Map
      ? new Map([...value].map(([name, one]: [unknown, unknown]) => [name, withContent(one, own)]))
      : value;
  return {
    services: new Map([...services].map(([name, map]) => [name, literalMap(service(map))])),
    top: new Map(
      [...top].map(([key, value]) => [
        key,
        key === 'include' ? value : literal(key === 'secrets' || key === 'configs' ? stored(value) : value),
      ]),
    ),
  };
}

function literal(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$');
  if (Array.isArray(value)) return withTagOf(value, value.map(literal));
  return value instanceof Map && value !== resetValue ? literalMap(value) : value;
}

const literalMap = (map: YamlMap): YamlMap =>
  withTagOf(map, new Map([...map].map(([key, item]) => [key, literal(item)])));

type LookUp = (name: string) => string | undefined;

/**
 * `environment` in which a name without a value has that of a variable of the file; in a map it has not
 * (compose-go, ResolveEnvironment).
 */
function withOwn(environment: unknown, own: LookUp): unknown {
  if (!Array.isArray(environment)) return environment;
  return environment.map((item: unknown) => {
    const value = typeof item === 'string' && !item.includes('=') ? own(item) : undefined;
    return value === undefined ? item : `${String(item)}=${value}`;
  });
}

/** A config or secret of a variable of the file as its content. */
function withContent(definition: unknown, own: LookUp): unknown {
  const name: unknown = definition instanceof Map ? definition.get('environment') : undefined;
  const value = typeof name === 'string' ? own(name) : undefined;
  return definition instanceof Map && value !== undefined
    ? new Map([...[...definition].filter(([key]) => key !== 'environment'), ['content', value]])
    : definition;
}
