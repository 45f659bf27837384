import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compositionFaults } from './composition.ts';
import { folderFaults } from './folders.ts';
import { mapFaults } from './map.ts';
import { nameFaults } from './names.ts';

const architecture =
  '# House\n<!-- map: begin -->\n- `server/src/domain/`: pure\n- `images/recipes/*/`: one image ' +
  'each\n<!-- map: end -->\n- `elsewhere/` is prose\n';

test('a true map has no fault', () => {
  expect(
    mapFaults(architecture, [
      'README.md',
      '.ci/run',
      'server/src/domain/names.ts',
      'images/recipes/caddy/Dockerfile',
    ]),
  ).toEqual([]);
});

test('a folder that is not listed', () => {
  expect(
    mapFaults(architecture, ['server/src/domain/names.ts', 'images/recipes/caddy/Dockerfile', 'cli/main.ts']),
  ).toEqual([expect.stringMatching(/does not list cli\//)]);
});

test('a listed folder that is not there', () => {
  expect(mapFaults(architecture, ['images/recipes/caddy/Dockerfile'])).toEqual([
    expect.stringMatching(/lists server\/src\/domain\/, which is not there/),
  ]);
});

test('a folder of more files than a reader takes in', () => {
  const files = (count: number) => Array.from({ length: count }, (_, at) => `cli/words/w${at}.ts`);
  expect(folderFaults(['README.md', ...files(20)])).toEqual([]);
  expect(folderFaults(files(21))).toEqual([expect.stringMatching(/^cli\/words\/ holds 21 files; 20 are/)]);
});

test('what main is made of refuses, decides and reads nothing', () => {
  const line = (file: string, text: string) => ({ file, text, number: 7 });
  const refusal = "  throw new AppError('NOT_FOUND', 'gone');";
  const faultsOf = (text: string) => compositionFaults([line('server/src/composition/berth.ts', text)]);
  expect(
    compositionFaults([
      line('server/src/composition/berth.ts', '  // Only if (it is asked) and for (each) alone.'),
      line('server/src/composition/berth.ts', '    ports: (id) => stores.ports.list({ id }),'),
      line('server/src/composition/upkeep/cleaning.store.test.ts', refusal),
      line('server/src/reconcile/platform.ts', refusal),
    ]),
  ).toEqual([]);
  expect(compositionFaults([line('server/src/composition/hosts/hosts.ts', refusal)])).toEqual([
    expect.stringMatching(/hosts\.ts:7 refuses something\. Move the rule/),
  ]);
  expect.soft(faultsOf('  throw error;')).toEqual([expect.stringMatching(/refuses something/)]);
  expect.soft(faultsOf('  if (isDue) run();')).toEqual([expect.stringMatching(/decides something/)]);
  expect.soft(faultsOf('  for (const host of hosts) host.stop();')).toHaveLength(1);
  expect
    .soft(faultsOf('  const found = await stores.ports.find({ id });'))
    .toEqual([expect.stringMatching(/reads a table/)]);
  expect.soft(faultsOf("import { sql } from 'kysely';")).toEqual([expect.stringMatching(/speaks SQL/)]);
  expect(compositionFaults([line('cli/main.ts', refusal)])).toEqual([
    expect.stringMatching(/proves nothing/),
  ]);
});

test('no map at all', () => {
  expect(mapFaults('# House', ['cli/main.ts'])).toEqual([expect.stringMatching(/has no list of folders/)]);
});

test.each([
  'server/src/domain/names.ts',
  'tools/house/house.test.ts',
  'README.md',
  'images/recipes/caddy/Dockerfile',
  '.oxlintrc.json',
  'docs/adr/0001-node-24.md',
  'docs/reference/sshKey.md',
])('%s is a good name', (path) => {
  expect(nameFaults([path])).toEqual([]);
});

test.each([
  'server/src/utils/text.ts',
  'server/src/domain/string-helpers.ts',
  'cli/common.ts',
  'server/src/deploy-manager/run.ts',
  'cli/misc.test.ts',
])('%s says nothing', (path) => {
  expect(nameFaults([path])).toEqual([expect.stringMatching(/says nothing/)]);
});

test.each(['cli/walkContract.ts', 'server/src/Domain.ts', 'cli/walk_contract.ts'])(
  '%s is not in kebab-case',
  (path) => {
    expect(nameFaults([path])).toEqual([expect.stringMatching(/kebab-case/)]);
  },
);

test('the guide names every variable that the program reads, and no other of ours', async () => {
  const read = async (path: string): Promise<string> =>
    readFile(join(import.meta.dirname, '../..', path), 'utf8');
  const named = (text: string): string[] =>
    [...new Set(text.match(/\b(BERTH_[A-Z_]+|DATABASE_URL)\b/g))].toSorted();
  const sources = await Promise.all(
    [
      'server/src/config.ts',
      'setup/settings/settings.ts',
      'setup/machine/health.ts',
      'cli/connection/config.ts',
    ].map(read),
  );
  // Set by the program that starts Berth, never by a person.
  const internal = ['BERTH_BUILD'];
  expect(named(await read('docs/guide/configuration.md'))).toEqual(
    named(sources.join('\n')).filter((name) => !internal.includes(name)),
  );
});
