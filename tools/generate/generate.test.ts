import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterEach, describe, expect, test } from 'vitest';
import { errorCodes, flatRefusals, isFlatRefusal } from '../../server/src/domain/errors.ts';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { createOpenapi } from '../../server/src/transport/openapi/openapi.ts';
import { staleFiles } from './freshness.ts';
import { generatedFiles } from './generated-files.ts';
import { verbOf } from '../../server/src/procedure/procedure.ts';

const repository = join(import.meta.dirname, '../..');

test('the OpenAPI document is valid', async () => {
  const document = createOpenapi(listProcedures(contracts), '1.0.0');
  const result = await new Validator().validate(document);
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(Object.keys(Object(document['paths']))).toContain('/api/application.deploy');
});

describe('every operation of the OpenAPI document', () => {
  const document = createOpenapi(listProcedures(contracts), '1.0.0');
  const operations = Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
    Object.values(Object(methods)).map((operation): [string, unknown] => [path, operation]),
  );
  const at = (value: unknown, ...way: string[]): unknown =>
    way.reduce(
      (found: unknown, name) =>
        typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined,
      value,
    );
  const hasExample = (content: unknown): boolean =>
    Object.values(Object(content)).every(
      (media) => at(media, 'example') !== undefined || at(media, 'examples') !== undefined,
    );

  test('has a summary, a description and examples', () => {
    expect(operations.length).toBeGreaterThan(200);
    for (const [path, operation] of operations) {
      expect
        .soft([typeof at(operation, 'summary'), typeof at(operation, 'description')], path)
        .toEqual(['string', 'string']);
      expect.soft(hasExample(at(operation, 'responses', '200', 'content')), `${path}: answer`).toBe(true);
      expect.soft(hasExample(at(operation, 'requestBody', 'content')), `${path}: body`).toBe(true);
      for (const parameter of Object.values(Object(at(operation, 'parameters'))))
        expect
          .soft(at(parameter, 'example'), `${path}: ${String(at(parameter, 'name'))}`)
          .not.toBeUndefined();
    }
  });

  test('has its errors: those of the door, and those that its procedure declares', () => {
    for (const { path, procedure } of listProcedures(contracts)) {
      const statuses = Object.keys(
        Object(at(document, 'paths', `/api/${path}`, verbOf(procedure).toLowerCase(), 'responses')),
      );
      expect
        .soft(statuses, path)
        .toEqual(
          expect.arrayContaining([
            '200',
            '400',
            '401',
            '403',
            '413',
            '429',
            '500',
            ...(procedure.access.resources.length > 0 ? ['404'] : []),
            ...(verbOf(procedure) === 'POST' && procedure.kind !== 'upload' ? ['415'] : []),
          ]),
        );
      const declared = (procedure.refusals ?? []).map(
        (refusal) => errorCodes[isFlatRefusal(refusal) ? flatRefusals[refusal] : refusal].httpStatus,
      );
      expect.soft(statuses, path).toEqual(expect.arrayContaining(declared.map(String)));
    }
  });

  test('refers only to what is there, and every record stands in it once', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, way = '']) => way,
    );
    expect(new Set(references).size).toBeGreaterThan(30);
    for (const way of new Set(references))
      expect.soft(at(document, ...way.split('/')), way).toBeTypeOf('object');
    const application = Object.keys(
      Object(at(document, 'components', 'schemas', 'Application', 'properties')),
    );
    expect(application).toContain('refreshToken');
    expect(JSON.stringify(document['paths'])).not.toContain('"refreshToken":{');
  });
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
  const wanted = {
    files: new Map([
      ['docs/a.md', 'a'],
      ['kinds.ts', 'k'],
    ]),
    folder: 'docs',
  };

  test.each<[string, Record<string, string>, string[]]>([
    ['fresh', { 'docs/a.md': 'a', 'kinds.ts': 'k', 'other.md': 'o' }, []],
    ['edited by hand', { 'docs/a.md': 'b', 'kinds.ts': 'k' }, ['docs/a.md is not fresh']],
    ['missing', { 'kinds.ts': 'k' }, ['docs/a.md is missing']],
    [
      'left over',
      { 'docs/a.md': 'a', 'docs/old.md': 'o', 'kinds.ts': 'k' },
      ['docs/old.md belongs to nothing any more'],
    ],
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
