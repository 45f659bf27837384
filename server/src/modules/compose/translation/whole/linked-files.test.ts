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

  test.each<[string, Record<string, string>, RegExp]>([
    ['include: [a.yml]\nservices: {web: {image: x}}', {}, /include\.0 names the file a\.yml/],
    [
      'include: [a.yml]\nservices: {web: {image: x}}',
      { 'a.yml': 'services: {web: {image: y}}' },
      /include\.0 brings in the service web, which the file has as well/,
    ],
    ['include: [a.yml]', { 'a.yml': 'include: [a.yml]' }, /circular/],
    ['include: [{path: a.yml, env_file: b.env}]', { 'a.yml': 'services: {}' }, /env_file is not read/],
    ['include: [{path: [a.yml, b.yml]}]', { 'a.yml': '' }, /lists several files/],
    ['include: a.yml', {}, /must be a list/],
  ])('%s with %j is refused', async (text, files, sentence) => {
    await expect(planOf(text, files)).rejects.toThrow(sentence);
  });
});
