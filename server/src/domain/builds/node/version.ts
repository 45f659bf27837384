/** The version of Node.js that a source asks for, as a tag of its images. */
import { objectOf, textOf, type Folder } from '../source-files.ts';
import { askedVersion, majorOf, numbersOf } from '../versions.ts';

/** Even releases that images are published of. */
const releases = [18, 20, 22, 24, 26];
const usual = 24;
/** Names of releases with long-term support. */
const codenames: Readonly<Record<string, number>> = { hydrogen: 18, iron: 20, jod: 22, krypton: 24 };

export interface NodeVersion {
  tag: string;
  /** Why this one, as the end of a sentence. */
  why: string;
}

export function nodeVersion(
  folders: readonly Folder[],
  manifests: readonly Readonly<Record<string, unknown>>[],
): NodeVersion {
  const asked =
    askedVersion(folders, ['.node-version', '.nvmrc'], ['node', 'nodejs']) ??
    inManifest(manifests, 'volta', 'volta') ??
    inManifest(manifests, 'engines', 'engines.node');
  if (asked === undefined) return { tag: String(usual), why: 'since nothing asks for another version' };
  const tag = tagOf(asked.version);
  return tag === undefined
    ? { tag: String(usual), why: `since "${asked.version}" in ${asked.file} names no version with an image` }
    : { tag, why: `as ${asked.file} asks (${asked.version})` };
}

function inManifest(
  manifests: readonly Readonly<Record<string, unknown>>[],
  field: string,
  file: string,
): { version: string; file: string } | undefined {
  const version = manifests.map((one) => textOf(objectOf(one[field])?.['node'])).find(Boolean);
  return version === undefined ? undefined : { version, file };
}

function tagOf(version: string): string | undefined {
  const code = /^lts\/(.+)$/i.exec(version)?.[1];
  if (code !== undefined) return String(codenames[code.toLowerCase()] ?? usual);
  if (/^(?:node|stable|latest|current|lts)$/i.test(version)) return String(usual);
  if (/^v?\d+(?:\.\d+){0,2}$/.test(version)) return numbersOf(version);
  const allowed = majorOf(version, [usual]) ?? majorOf(version, releases);
  return allowed === undefined ? undefined : String(allowed);
}
