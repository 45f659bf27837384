/** Rules for single values of a compose file: why one reaches beyond the service's own containers and folder. Pure. */
import { reservedLabelPattern } from '../../domain/names.ts';
import { isMap, type Yaml, type YamlMap } from './compose-file.ts';

/** Why the value reaches further; undefined when it does not. A text with a variable in it counts as the worst it could become. */
export type Rule = (value: Yaml) => string | undefined;
export type Rules = Readonly<Record<string, Rule>>;

export const harmless: Rule = () => undefined;

/** These keys, all harmless. */
export const harmlessKeys = (...names: readonly string[]): Rules => Object.fromEntries(names.map((name) => [name, harmless]));

/** Nothing but an empty value is harmless. */
export const empty = (reason: string): Rule => (value) => (isEmpty(value) ? undefined : reason);

/** Nothing but `false` is harmless; other words for no are read as yes by some parser. */
export const off = (reason: string): Rule => (value) => (value === null || value === false || value === 'false' ? undefined : reason);

/** Nothing but texts of this form is harmless. */
export const only = (pattern: RegExp, reason: string): Rule => (value) => (isEmpty(value) || (typeof value === 'string' && pattern.test(value)) ? undefined : reason);

/** The value, or each of a list; nothing is harmless. */
export const each = (rule: Rule): Rule => (value) => firstReason<Yaml>(Array.isArray(value) ? value : isEmpty(value) ? [] : [value], rule);

/** The first key of a map that reaches further; keys of no table do. Texts are judged by `text`, when there may be any. */
export const map = (rules: Rules, text?: Rule): Rule => (value) => {
  if (isEmpty(value)) return undefined;
  if (!isMap(value)) return text ? text(value) : 'has a form that Berth does not know';
  return firstReason(Object.entries(value), ([name, item]) => {
    const reason = reasonOf(rules, name, item);
    return reason === undefined ? undefined : `${name} ${reason}`;
  });
};

/** The reason of one key of a map; what begins with `x-` is nobody's business (compose specification, Extensions). */
export function reasonOf(rules: Rules, name: string, value: Yaml): string | undefined {
  if (name.startsWith('x-')) return undefined;
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  return rule ? rule(value) : 'is a key that Berth does not know';
}

/** A path within the service's own folder. */
export const ownPath: Rule = (value) => {
  if (isEmpty(value)) return undefined;
  if (typeof value !== 'string') return 'has a form that Berth does not know';
  const isOwn = !/^[/~]|[$:\\]/.test(value) && !value.split('/').includes('..');
  return isOwn ? undefined : `names ${shown(value)}, which may be outside the service's own folder`;
};

/** A folder to build from: the service's own, or one that is fetched from elsewhere. */
export const buildContext: Rule = (value) => (typeof value === 'string' && !value.includes('$') && /^https:\/\/|^git@|^github\.com\//.test(value) ? undefined : ownPath(value));

/** Folders besides: as maps or `name=value`, also images and other services. */
export const buildContexts: Rule = (value) => {
  const sources: readonly Yaml[] = isMap(value) ? Object.values(value) : Array.isArray(value) ? value.map((item: Yaml) => (typeof item === 'string' ? item.slice(item.indexOf('=') + 1) : item)) : [value];
  return firstReason(sources, (source) => (typeof source === 'string' && /^(docker-image|service):[^$]*$/.test(source) ? undefined : buildContext(source)));
};

/** A mount in its short form `source:target[:mode]` or as a map. */
export const volume: Rule = (value) => (isMap(value) ? longVolume(value) : typeof value === 'string' ? shortVolume(value) : 'has a form that Berth does not know');

/** Files of variables, by path or as maps with one. */
export const environmentFile: Rule = (value) => (isMap(value) ? ownPath(value['path'] ?? null) : ownPath(value));

/** Labels as a map, or as `name=value`. */
export const labels: Rule = (value) => {
  const names = isMap(value) ? Object.keys(value) : Array.isArray(value) ? value.map((item: Yaml) => (typeof item === 'string' ? item.replace(/=.*$/s, '') : '')) : [];
  const isInList = Array.isArray(value);
  return firstReason(names, (name) => (reservedLabelPattern.test(name) || (isInList && name.includes('$')) ? `has the label ${shown(name)}, by which Berth or the engine know what is theirs` : undefined));
};

/** A container of another service, not of this file. */
export const ownContainer: Rule = (value) => (typeof value === 'string' && !/^container:|\$/.test(value) ? undefined : "takes the volumes of a container that is not this file's");

const volumeName = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;

function shortVolume(text: string): string | undefined {
  const at = text.indexOf(':');
  // Without a source it is a volume without a name; a variable could bring the source.
  if (at < 0) return text.includes('$') ? `mounts ${shown(text)}, which a variable decides` : undefined;
  const source = text.slice(0, at);
  if (volumeName.test(source)) return undefined;
  const reason = source.startsWith('.') ? ownPath(source) : 'elsewhere';
  return reason === undefined ? undefined : `mounts ${shown(source)}, which may be outside the service's own folder`;
}

function longVolume(mount: YamlMap): string | undefined {
  const { type = 'volume', source = null } = mount;
  if (type === 'tmpfs' || type === 'image') return undefined;
  if (type === 'volume') return isEmpty(source) || (typeof source === 'string' && volumeName.test(source)) ? undefined : `mounts ${shown(source)}, which is no volume of this file`;
  if (type === 'bind' && typeof source === 'string') return ownPath(source) === undefined ? undefined : `mounts ${shown(source)}, which may be outside the service's own folder`;
  return `mounts something of the type ${shown(type)}`;
}

function isEmpty(value: Yaml): boolean {
  return value === null || value === '' || value === false || (Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0);
}

function firstReason<T>(items: readonly T[], reason: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = reason(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shown(value: Yaml): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 100);
}
