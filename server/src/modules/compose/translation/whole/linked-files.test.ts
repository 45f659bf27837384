import { describe, expect, test } from 'vitest';
import { readLinkedFiles } from './linked-files.ts';
import type { ComposePlan } from '../plan.ts';
import { translate } from '../translate.ts';

const field = 'composePath';

/** The plan of `docker-compose.yml` in `folder`, with these other files of its repository. */
async function planOf(text: string, others: Record<string, string>, folder = ''): Promise<ComposePlan> {
  const files = await readLinkedFiles(text, { field, folder, read: async (path) => others[path] });
  return translate({
    text,
    field,
    folder,
    files,
    variables: { TAG: '3' },
    blocks: { project: '', environment: '', service: '' },
  });
}

describe('extends of another file', () => {
  test('takes the service, its paths from where that file lies, and what it extends there', async () => {
    const { services } = await planOf(
      'services: {web: {extends: {file: shared/base.yml, service: app}, environment: {B: 2}}}\n' +
        'volumes: {data: }',
      {
        'shared/base.yml':
          'services: {root: {image: "app:$TAG", environment: [A=1]}, ' +
          'app: {extends: root, env_file: app.env, ' +
          'volumes: ["./conf:/conf:ro", "data:/data"]}, other: {image: x}}\nvolumes: {data: }',
      },
    );
    expect(services).toMatchObject([
      {
        name: 'web',
        image: 'app:3',
        environment: [
          ['A', '1'],
          ['B', '2'],
        ],
        envFiles: [{ path: './shared/app.env', required: true }],
      },
    ]);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['b.yml', {}, /services\.web\.extends names the file b\.yml, which is not there/],
    ['b.yml', { 'b.yml': 'services: {}' }, /services\.app is extended, but there is no such service/],
    ['b.yml', { 'b.yml': 'services: [' }, /b\.yml: is not valid YAML/],
    ['../b.yml', {}, /out of the repository/],
    ['$F', {}, /without variables/],
    ['b.yml', { 'b.yml': 'services: {app: {extends: {file: b.yml, service: app}}}' }, /circular/],
  ])('%s with %j', async (file, others, sentence) => {
    const text = `services: {web: {image: x, extends: {file: ${file}, service: app}}}`;
    await expect(planOf(text, others)).rejects.toThrow(sentence);
  });
});

describe('include', () => {
  const main =
    'include: [db/compose.yml, {path: cache.yml}]\n' +
    'services: {web: {image: "web:1", depends_on: [db, cache]}}';
  const others = {
    'deploy/db/compose.yml':
      'include: [more.yml]\nservices: {db: {image: "db:1", volumes: ["data:/data", "./init:/init"]}}\n' +
      'volumes: {data: }\nsecrets: {pw: {file: ./pw.txt}}',
    'deploy/db/more.yml': 'services: {tool: {image: "tool:1", build: {context: tool}}}',
    'deploy/cache.yml': 'services: {cache: {image: "cache:1"}}',
  };

  test('brings in services and definitions, with their paths', async () => {
    const { services } = await planOf(main, others, 'deploy');
    expect(services.map(({ name }) => name).toSorted()).toEqual(['cache', 'db', 'tool', 'web']);
    expect(services.find(({ name }) => name === 'db')?.mounts).toMatchObject([
      { type: 'volume', name: 'data' },
      { type: 'own', path: './db/init' },
    ]);
    expect(services.find(({ name }) => name === 'tool')?.build).toMatchObject({ context: 'deploy/db/tool' });
  });

  test('reads env files for the included file alone, below the variables of the compose', async () => {
    const { services } = await planOf(
      'include: [{path: [db/a.yml, db/b.yml], env_file: [one.env, two.env]}, more/c.yml]\n' +
        'services: {web: {image: "web:${ONLY:-none}"}}',
      {
        'db/a.yml':
          'services: {db: {image: "db:$TAG", environment: [ONLY, "PRICE=$$5 $OF"], ' +
          'ports: ["1000:1000"], healthcheck: {test: [CMD, a]}, secrets: [pw]}}\n' +
          'secrets: {pw: {environment: ONLY}}',
        'db/b.yml':
          'services: {db: {ports: !override ["${PORT}:2"], healthcheck: {test: [CMD, b, "$ONLY"]}}}',
        'one.env': 'TAG=9\nONLY=mine\nOF=one',
        'two.env': 'OF=two-$ONLY\nPORT=2000',
        'more/c.yml': 'services: {c: {image: "c:$V"}}',
        'more/.env': 'V=7',
      },
    );
    const [db, c, web] = ['db', 'c', 'web'].map((name) => services.find((each) => each.name === name));
    expect(db).toMatchObject({
      image: 'db:3',
      environment: [
        ['ONLY', 'mine'],
        ['PRICE', '$5 two-mine'],
      ],
      ports: [{ published: 2000, target: 2 }],
      healthCheck: { test: ['CMD', 'b', 'mine'] },
      files: [{ source: { from: 'content', content: 'mine' }, isSecret: true }],
    });
    expect([c?.image, web?.image]).toEqual(['c:7', 'web:none']);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['include: [a.yml]\nservices: {web: {image: x}}', {}, /include\.0 names the file a\.yml/],
    [
      'include: [a.yml]\nservices: {web: {image: x}}',
      { 'a.yml': 'services: {web: {image: y}}' },
      /include\.0 brings in the service web, which the file has as well, and otherwise/,
    ],
    ['include: [a.yml]', { 'a.yml': 'include: [a.yml]' }, /circular/],
    ['include: [{path: a.yml, env_file: b.env}]', { 'a.yml': 'services: {}' }, /names the file b\.env/],
    ['include: [{path: [a.yml, b.yml]}]', { 'a.yml': 'services: {}' }, /names the file b\.yml/],
    ['include: a.yml', {}, /must be a list/],
  ])('%s with %j is refused', async (text, files, sentence) => {
    await expect(planOf(text, files)).rejects.toThrow(sentence);
  });
});
