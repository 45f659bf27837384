/** A change that names an old revision is refused, whatever it changes. */
import { databaseKindNames } from '../../../server/src/domain/database-kind.ts';
import { type Rows } from '../row.ts';

const revised: readonly (readonly [string, object])[] = [
  ['project', { projectId: '<projectId>' }],
  ['environment', { environmentId: '<environmentId>' }],
  ['application', { applicationId: '<applicationId>' }],
  ['compose', { composeId: '<composeId>' }],
  ...databaseKindNames.map((kind) => [kind, { [`${kind}Id`]: `<${kind}Id>` }] as const),
];

export const revisionRows: Rows = revised.flatMap(([router, id]): Rows => {
  const call = `${router}.update` as const;
  const change = { ...id, description: 'Changed' };
  const first: Rows[number] = { call, input: { ...change, revision: 0 }, gives: { revision: 1 } };
  return [
    first,
    // Without one it is made whatever stands there, and counts.
    { call, before: [first], input: change, gives: { revision: 2 } },
    { call, before: [first], input: { ...change, revision: 0 }, refused: 'CONFLICT' },
    { call, before: [first], input: { ...change, revision: 1 }, gives: { revision: 2 } },
  ];
});
