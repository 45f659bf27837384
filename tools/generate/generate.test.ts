import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterEach, describe, expect, test } from 'vitest';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures } from '../../server/src/procedure/listing.ts';
import { createOpenapi } from '../../server/src/transport/openapi.ts';
import { staleFiles } from './freshness.ts';
import { generatedFiles } from './generated-files.ts';

const repository = join(import.meta.dirname, '../..');

test('the OpenAPI document is valid', async () => {
  const document = createOpenapi(listProcedures(contracts), '1.0.0');
  const result = await new Validator().validate(document);
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(Object.keys(Object(document['paths']))).toContain('/api/application.deploy');
});

test('every procedure has its place in the document and on its page', () => {
  const files = generatedFiles(repository);
  for (const { path, router } of listProcedures(contracts)) {
    expect(files.get(`docs/reference/${router}.md`)).toContain(`\n## ${path}\n`);
    expect(files.get('docs/reference/openapi.json')).toContain(`"/api/${path}"`);
  }
});

test('generating twice gives the same bytes', () => {
  expect(generatedFiles(repository)).toEqual(generatedFiles(repository));
});

describe('freshness', () => {
  const folders: string[] = [];
  afterEach(async () => {
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  });
  const wanted = { files: new Map([['docs/a.md', 'a'], ['kinds.ts', 'k']]), folder: 'docs' };

  test.each<[string, Record<string, string>, string[]]>([
    ['fresh', { 'docs/a.md': 'a', 'kinds.ts': 'k', 'other.md': 'o' }, []],
    ['edited by hand', { 'docs/a.md': 'b', 'kinds.ts': 'k' }, ['docs/a.md is not fresh']],
    ['missing', { 'kinds.ts': 'k' }, ['docs/a.md is missing']],
    ['left over', { 'docs/a.md': 'a', 'docs/old.md': 'o', 'kinds.ts': 'k' }, ['docs/old.md belongs to nothing any more']],
  ])('%s', async (_name, files, stale) => {
    const root = await mkdtemp(join(tmpdir(), 'generated-'));
    folders.push(root);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    expect(await staleFiles(root, wanted)).toEqual(stale);
  });
});
