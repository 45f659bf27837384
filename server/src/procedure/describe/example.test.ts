import { expect, test } from 'vitest';
import { contracts } from '../../modules/contracts.ts';
import { exampleInput, exampleOf } from './example.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { listProcedures } from './listing.ts';

const procedures = listProcedures(contracts);

test.each(procedures)('the examples of $path fit its own schemas', ({ procedure }) => {
  expect(
    procedure.input.safeParse(exampleInput(procedure)).error?.issues ?? [],
    'input; write a good one as `example` into the contract',
  ).toEqual([]);
  const { schema, definitions } = jsonSchemaOf(procedure.output, 'output');
  expect(
    procedure.output.safeParse(exampleOf(schema, definitions)).error?.issues ?? [],
    'output; give the field an example by `.meta({ examples: […] })`',
  ).toEqual([]);
});
