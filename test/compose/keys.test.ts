/** Each key of the compose specification: known to Berth, and in the corpus. */
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { keyFates, topKeys } from '../../server/src/modules/compose/translation/keys.ts';
import { corpus } from './judge/corpus.ts';
import { dockerCompose } from './judge/program.ts';
import { specifiedKeys } from './judge/schema.ts';

const limitMs = 600_000;
let specified: string[];

beforeAll(async () => {
  specified = await specifiedKeys(await dockerCompose(AbortSignal.timeout(limitMs)));
}, limitMs);

/** Every path in the value, as keys and indexes. */
function pathsOf(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    // Dots in names of services and options are none between keys.
    const at = [...path, key.replaceAll('.', '_')];
    return [at.join('.'), ...pathsOf(inner, at)];
  });
}

it('is known', () => {
  const known = new Map(keyFates().map(({ path, fate }) => [path, fate]));
  const decided = [...known].flatMap(([path, fate]) => (fate === undefined ? [] : [`${path}.`]));
  // Of the file as a whole: `include` has a reader of its own, and `models` is no key here (keys.txt).
  const elsewhere = ['include.', 'models'];
  const unknown = specified.filter(
    (path) =>
      !known.has(path) &&
      !topKeys.some((key) => key === path) &&
      !elsewhere.some((beginning) => path.startsWith(beginning)) &&
      // Below a key that is refused or without effect there is nothing to read.
      !decided.some((above) => path.startsWith(above)),
  );
  expect(unknown).toEqual([]);
});

it('is twice in the corpus', () => {
  const counts = new Map<string, number>();
  const patterns = specified.map((path) => ({
    path,
    matches: RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`),
  }));
  const texts = corpus.flatMap(({ files }) =>
    Object.entries(files).flatMap(([path, text]) => (/\.ya?ml$/.test(path) ? [text] : [])),
  );
  for (const text of texts) {
    const own = pathsOf(valueOf(text));
    for (const { path, matches } of patterns)
      counts.set(path, (counts.get(path) ?? 0) + own.filter((found) => matches.test(found)).length);
  }
  const missing = specified.filter((path) => (counts.get(path) ?? 0) < 2);
  expect(missing.map((path) => `${path}: ${counts.get(path) ?? 0}`)).toEqual([]);
});

/** Some files of the corpus are no YAML. */
function valueOf(text: string): unknown {
  try {
    return parse(text, { merge: true, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}
