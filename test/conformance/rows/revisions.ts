/** A change that names an old revision is refused, whatever it changes. */
import { databaseKindNames } from '../../../server/src/domain/database-kind.ts';
import { type Rows } from '../row.ts';

const revised: readonly (readonly [string, object])[] = [
  ['project.update', { projectId: '<projectId>' }],
  ['environment.update', { environmentId: '<environmentId>' }],
  ['application.saveEnvironment', { applicationId: '<applicationId>' }],
  ['compose.update', { composeId: '<composeId>' }],
  ['compose.saveEnvironment', { composeId: '<composeId>' }],
  ...databaseKindNames.flatMap((kind) =>
    ['update', 'saveEnvironment'].map(
      (name) => [`${kind}.${name}`, { [`${kind}Id`]: `<${kind}Id>` }] as const,
    ),
  ),
];

const application = { applicationId: '<applicationId>' };

export const revisionRows: Rows = [
  // It answers only that it is done.
  {
    call: 'application.update',
    input: { ...application, replicas: 2, revision: 0 },
    after: [
      {
        call: 'application.update',
        input: { ...application, replicas: 3, revision: 0 },
        refused: 'CONFLICT',
      },
      { call: 'application.one', input: application, gives: { replicas: 2, revision: 1 } },
    ],
  },
  ...revised.flatMap(([call, id]): Rows => {
    const change = { ...id, env: 'REGION=us' };
    const first: Rows[number] = { call, input: { ...change, revision: 0 }, gives: { revision: 1 } };
    return [
      first,
      // Without one it is made whatever stands there, and counts.
      { call, before: [first], input: change, gives: { revision: 2 } },
      { call, before: [first], input: { ...change, revision: 0 }, refused: 'CONFLICT' },
      { call, before: [first], input: { ...change, revision: 1 }, gives: { revision: 2 } },
    ];
  }),
];
