import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorCodes } from '../../domain/errors.ts';

it('no procedure of the document answers that it is not there yet', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../../docs/reference/openapi.json'), 'utf8');
  const document: { paths: Record<string, Record<string, { responses?: object }>> } = JSON.parse(text);
  const statuses = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses = {} }) => Object.keys(responses)),
  );
  expect(statuses).toContain('503');
  expect(statuses).not.toContain('501');
  expect(text).not.toContain('NOT_IMPLEMENTED');
  expect(Object.values(errorCodes).map(({ httpStatus }): number => httpStatus)).not.toContain(501);
});
