/** Projects as berth.yml, made by chance: services of every kind with settings of every type. */
import fc from 'fast-check';
import { dots } from '../../server/src/domain/secrets/secret-patterns.ts';

type Made = Record<string, unknown>;

const text = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'grapheme', maxLength })
    .filter((value) => !value.includes('\0') && !value.includes(dots));
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const variableName = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
const value = fc.oneof(
  text(40),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('a b', '"q"', "it's\n2", '#x', ' '),
);
const variables = fc.dictionary(variableName, value, { maxKeys: 5, noNullPrototype: true });
const runtime = {
  memoryLimit: fc.constantFrom('128m', '1.5g', '1000000000', null),
  cpuLimit: fc.constantFrom('0.5', '1.5', null),
  command: fc.constantFrom('node server.js', null),
  args: fc.oneof(fc.array(text(10), { maxLength: 3 }), fc.constant(null)),
};
const mounts = fc.uniqueArray(
  fc.oneof(
    fc.record({ mountPath: word.map((name) => `/v/${name}`), type: fc.constant('volume'), volumeName: word }),
    fc.record({
      mountPath: word.map((name) => `/f/${name}`),
      type: fc.constant('file'),
      content: text(30).map((content) => `${content}.`),
    }),
  ),
  { selector: ({ mountPath }) => mountPath, maxLength: 3 },
);
const schedules = (more: { serviceName?: fc.Arbitrary<string> }): fc.Arbitrary<Made[]> =>
  fc.uniqueArray(
    fc.record(
      {
        name: word,
        cron: fc.constantFrom('0 4 * * *', '@weekly'),
        timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
        command: fc.array(word, { minLength: 1, maxLength: 3 }),
        limitMinutes: fc.integer({ min: 1, max: 90 }),
        enabled: fc.boolean(),
        ...more,
      },
      { requiredKeys: ['name', 'cron', 'command', ...(more.serviceName ? (['serviceName'] as const) : [])] },
    ),
    { selector: ({ name }) => name, maxLength: 2 },
  );
const source = fc.oneof(
  fc.record({ sourceType: fc.constant('container'), containerImage: word.map((name) => `${name}:1`) }),
  fc.record({
    sourceType: fc.constant('git'),
    customGitUrl: word.map((name) => `https://git.example.com/${name}.git`),
    customGitBranch: word,
  }),
);

const application = (others: readonly string[]): fc.Arbitrary<Made> =>
  fc
    .tuple(
      source,
      fc.record(
        {
          ...runtime,
          variables,
          mounts,
          schedules: schedules({}),
          description: text(20),
          replicas: fc.integer({ min: 0, max: 5 }),
          healthCheck: fc.constantFrom(null, { path: '/up', interval: 3 }, { command: ['true'] }),
          labels: fc.dictionary(word, text(8), { maxKeys: 3, noNullPrototype: true }),
          placement: fc.constantFrom(null, ['node.role==worker']),
          networks: fc.subarray([...others]),
          stopGracePeriod: fc.constantFrom(null, 0, 30),
          buildArgs: fc.constantFrom(null, 'A=1'),
          watchPaths: fc.constantFrom(null, ['src/**']),
          previewWildcard: fc.constantFrom(null, '*.example.com'),
          previewLimit: fc.integer({ min: 0, max: 9 }),
          autoDeploy: fc.boolean(),
          updateOrder: fc.constantFrom('start-first', 'stop-first'),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([from, settings]) => ({ kind: 'application', ...from, ...settings }));

const compose = fc
  .record(
    {
      composeFile: word.map((name) => `services:\n  ${name}:\n    image: ${name}:1\n`),
      variables,
      description: text(20),
      autoDeploy: fc.boolean(),
      suffix: fc.constantFrom('', 'x'),
      schedules: schedules({ serviceName: word }),
    },
    { requiredKeys: ['composeFile'] },
  )
  .map((settings) => ({ kind: 'compose', ...settings }));

const backup = fc.record(
  {
    schedule: fc.constantFrom('0 3 * * *', '@daily'),
    prefix: word,
    database: word,
    destinationId: fc.constant('backups'),
    enabled: fc.boolean(),
    keepLatestCount: fc.constantFrom(null, 7),
  },
  { requiredKeys: ['schedule', 'prefix', 'database', 'destinationId'] },
);

const recovery = fc.record(
  {
    destinationId: fc.constant('backups'),
    schedule: fc.constantFrom('0 3 * * *', '@daily'),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
    prefix: word,
    keepDays: fc.constantFrom(7, 30),
    enabled: fc.boolean(),
  },
  { requiredKeys: ['destinationId'] },
);

const database = (kind: string, hasBackups: boolean): fc.Arbitrary<Made> =>
  fc
    .record(
      {
        ...runtime,
        variables,
        description: text(20),
        mounts,
        ...(hasBackups ? { backups: fc.array(backup, { maxLength: 2 }) } : {}),
        ...(kind === 'postgres' ? { recovery: fc.option(recovery) } : {}),
      },
      { requiredKeys: [] },
    )
    .map((settings) => ({ kind, ...settings }));

/** Of a key the kind is always the same, so that one file can follow another. */
const service = (key: string, others: readonly string[]): fc.Arbitrary<Made> => {
  if (key.startsWith('web')) return application(others);
  if (key === 'stack') return compose;
  return database(key, key !== 'redis');
};
const keys = ['web', 'web2', 'stack', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis'];

/** A file of that project; nothing of it is deployed. */
export function generatedFile(project: string): fc.Arbitrary<Made> {
  const environments = fc.subarray(['staging', 'trial']).map((more) => ['production', ...more]);
  return environments.chain((names) =>
    fc
      .tuple(
        fc.record({ description: text(20), variables }, { requiredKeys: [] }),
        ...names.map((name) =>
          fc.subarray(keys, { maxLength: 4 }).chain((chosen) =>
            fc.record(
              {
                variables,
                services: fc.record(
                  Object.fromEntries(
                    chosen.map((key) => [
                      key,
                      service(
                        key,
                        names.filter((other) => other !== name),
                      ).map((settings) => ({ ...settings, deploy: false })),
                    ]),
                  ),
                ),
              },
              { requiredKeys: ['services'] },
            ),
          ),
        ),
      )
      .map(([own, ...places]) => ({
        project,
        ...own,
        environments: Object.fromEntries(names.map((name, index) => [name, places[index]])),
      })),
  );
}
