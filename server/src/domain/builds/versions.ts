/** Versions of languages, as sources ask for them. Pure text: no list of releases is fetched. */
import type { Folder } from './source-files.ts';

export interface Asked {
  version: string;
  /** The file that asks for it. */
  file: string;
}

/**
 * The version that the first of these files asks for: a file that holds nothing else, or a line of
 * `.tool-versions` or `mise.toml` for one of these names.
 */
export function askedVersion(
  folders: readonly Folder[],
  files: readonly string[],
  toolNames: readonly string[],
): Asked | undefined {
  for (const folder of folders) {
    for (const file of files) {
      const version = (folder.text(file) ?? '').split('\n').map(withoutComment).find(Boolean);
      if (version !== undefined) return { version, file };
    }
    for (const file of ['.tool-versions', 'mise.toml', '.mise.toml'])
      for (const line of (folder.text(file) ?? '').split('\n')) {
        const [, name = '', version = ''] = /^\s*"?([\w-]+)"?\s*=?\s*"?([\w.*-]+)"?/.exec(line) ?? [];
        if (toolNames.includes(name)) return { version, file };
      }
  }
  return undefined;
}

/** A version, and why it is taken. */
export interface Chosen {
  tag: string;
  why: string;
}

/** `tag` as somebody asks for it, else the usual one. */
export const chosenVersion = (asked: Asked | undefined, tag: string | undefined, usual: Chosen): Chosen =>
  asked === undefined || tag === undefined ? usual : { tag, why: `as ${asked.file} asks` };

/** The version that is taken where nothing asks for one. */
export const usualOf = (tag: string): Chosen => ({ tag, why: 'since nothing asks for another version' });

const withoutComment = (line: string): string => line.replace(/#.*/, '').trim();

/** `v20.11.1`, `20.x`, `python-3.12.4`: the numbers it begins with, at most `parts` of them. */
export function numbersOf(version: string, parts = 3): string | undefined {
  const found = /^(?:[a-z]+[-/])?v?(\d+(?:\.\d+){0,3})/i.exec(version.trim());
  return found?.[1]?.split('.').slice(0, parts).join('.');
}

/**
 * The major version to take for a range of npm's kind, such as `>=18 <23`, `^20.3`, `18 || 20`: the highest
 * of these releases that it allows; undefined when it allows none.
 */
export function majorOf(range: string, releases: readonly number[]): number | undefined {
  return releases
    .toSorted((one, other) => other - one)
    .find((release) => range.split('||').some((part) => allows(part.trim(), release)));
}

function allows(part: string, release: number): boolean {
  const between = /^v?(\d+)[\w.]*\s+-\s+v?(\d+)/.exec(part);
  if (between) return release >= Number(between[1]) && release <= Number(between[2]);
  const rules = [...part.matchAll(/(>=|<=|>|<|\^|~>|~|=|==)?\s*v?(\d+|\*|x)((?:\.(?:\d+|\*|x))*)[\w.+-]*/g)];
  if (rules.length === 0) return part === '' || part === '*' || part === 'latest';
  return rules.every(([, sign = '', major = '', rest = '']) => {
    if (major === '*' || major === 'x') return true;
    const bound = Number(major);
    if (sign === '>=') return release >= bound;
    if (sign === '>') return rest === '' ? release > bound : release >= bound;
    if (sign === '<') return /^(?:\.0+)*$/.test(rest) ? release < bound : release <= bound;
    if (sign === '<=') return release <= bound;
    return release === bound;
  });
}
