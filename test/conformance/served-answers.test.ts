import { expect, test } from 'vitest';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { documentFault, servedAnswers } from './served-answers.ts';

test('the document has a schema for the good answer of every procedure that answers in JSON', () => {
  const answers = servedAnswers();
  const without = listProcedures(contracts)
    .filter(({ path }) => !answers.has(`/api/${path}`))
    .map(({ path }) => path);
  expect(without).toEqual([]);
});

test('what a document does not say of an answer is found', () => {
  expect(documentFault('project.one', { projectId: 'p', name: 7 })).toMatch(/not what the document says/);
  expect(documentFault('no.such', 1)).toBeUndefined();
});
