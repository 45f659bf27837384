/** Each format as its own documentation describes it, written here as small examples of what people have. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runBerth } from '../../test/command-line.ts';

async function imported(
  argv: string,
  files: Readonly<Record<string, string | object>>,
): Promise<{ file: object; said: string; code: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-import-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    const { code, said } = await runBerth(['import', ...argv.split(' '), '--name', 'moved'], {
      environment: { HOME: folder },
      folder,
    });
    const text = await readFile(join(folder, 'berth.yml'), 'utf8').catch(() => '');
    return { file: Object(parse(text)), said, code };
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('berth import', () => {
  test('compose takes the file as it is, with what lies beside it, and says what stays behind', async () => {
    const { file, said } = await imported('compose', {
      'docker-compose.yml':
        'services:\n  web:\n    image: web:${TAG}\n    env_file: app.env\n' +
        '    ports: ["8080:80", "127.0.0.1:9:9"]\n' +
        '    volumes: ["./conf:/conf", "./app.conf:/app.conf:ro", "data:/data", "/srv/x:/x"]\n' +
        '  db:\n    image: postgres:15\nvolumes:\n  data:\n',
      '.env': 'TAG=3\n',
      'app.env': 'A=1\n',
      'app.conf': 'listen 80\n',
    });
    const [service] = Object.values(Object(file).services);
    expect(file).toMatchObject({ project: 'moved' });
    expect(service).toMatchObject({
      kind: 'compose',
      sourceType: 'raw',
      variables: { TAG: '3' },
      mounts: [
        { type: 'file', filePath: 'app.env', content: 'A=1\n' },
        { type: 'file', filePath: 'app.conf', content: 'listen 80\n' },
      ],
    });
    for (const note of [
      'the port 8080:80 is published directly',
      '9 on the loopback address is not published',
      'the folder ./conf stays behind',
      'web: bind /srv/x needs the approval',
    ])
      expect(said).toContain(note);
    expect(said).not.toContain('app.conf stays behind');
  });

  test.each([
    [
      'services: {web: {build: .}}',
      'A deployment would refuse it: the compose file: services.web.build needs',
    ],
    ['services: {web: {image: x, imag: y}}', 'is not a key that Berth supports. Did you mean image?'],
    ['services: [', 'is not valid YAML: line 1'],
  ])('of the compose file %j it says what is wrong', async (text, sentence) => {
    expect((await imported('compose', { 'compose.yml': text })).said).toContain(sentence);
  });

  test.each([
    ['services: {web: {image: x, init: true, platform: linux/amd64}}', 0, 'It can be deployed: web.'],
    ['services: {web: {image: x, platform: linux/amd64}}', 0, 'services.web.platform has no effect'],
    ['services: {web: {image: x, privileged: true}}', 1, 'A deployment would refuse it: '],
    ['services: {web: {build: .}, db: {image: x}}', 0, 'web: is built, so the file has to come from a repo'],
    ['services: {web: {build: .}, db: {image: x, privileged: true}}', 1, 'services.db.privileged'],
  ])('--check says of %j what will be, and writes nothing', async (text, code, sentence) => {
    expect(await imported('compose --check', { 'compose.yml': text })).toMatchObject({
      code,
      said: expect.stringContaining(sentence),
      file: {},
    });
  });

  test('heroku takes processes, variables, databases and numbers of dynos', async () => {
    const { file, said } = await imported('heroku config.env', {
      'app.json': {
        name: 'Small Shop',
        description: 'Sells things',
        repository: 'https://git.example.com/small/shop',
        env: {
          LOG: 'info',
          RATE: { value: '5', description: 'a minute' },
          SESSION_KEY: { generator: 'secret' },
          HINT: { required: false },
        },
        formation: { web: { quantity: 2, size: 'standard-1x' }, worker: { quantity: 1 } },
        addons: ['heroku-postgresql:essential-0', { plan: 'heroku-redis:mini', as: 'CACHE' }, 'papertrail'],
        buildpacks: [{ url: 'heroku/nodejs' }],
        scripts: { postdeploy: 'npm run seed' },
        environments: { review: { addons: [] } },
      },
      Procfile: 'release: npm run migrate\nweb: node server.js --port $PORT\nworker: node worker.js\n',
      'config.env': "LOG='debug'\nMAIL=on\n",
    });
    const source = { kind: 'application', sourceType: 'git', buildType: 'heroku_buildpacks' };
    expect(file).toMatchObject({
      description: 'Sells things',
      services: {
        postgres: { kind: 'postgres' },
        redis: { kind: 'redis' },
        web: {
          ...source,
          command: 'sh -c "node server.js --port $PORT"',
          replicas: 2,
          preReleaseCommand: ['sh', '-c', 'npm run migrate'],
          variables: {
            LOG: 'debug',
            RATE: '5',
            MAIL: 'on',
            SESSION_KEY: { secret: true },
            DATABASE_URL: '${{postgres.URL}}',
            CACHE_URL: '${{redis.URL}}',
          },
        },
        worker: { ...source, command: 'node worker.js', replicas: 1 },
      },
    });
    for (const note of ['papertrail', 'postdeploy', 'HINT', 'environments', 'postgres: its data'])
      expect(said).toContain(note);
  });

  test('kamal takes roles, the proxy, accessories and names of secrets', async () => {
    const { file, said } = await imported('kamal', {
      'config/deploy.yml': `service: notes
image: example/notes
servers:
  web: [192.0.2.1]
  job:
    hosts: [192.0.2.2]
    cmd: bin/jobs
proxy:
  ssl: true
  host: notes.example.com
  app_port: 3000
  healthcheck: { path: /up, interval: 3 }
registry:
  server: registry.example.com
  username: ann
  password: [REGISTRY_PASSWORD]
env:
  clear: { LOG: info }
  secret: [MASTER_KEY]
volumes: ["storage:/rails/storage", "/srv/x:/x"]
accessories:
  db:
    image: mysql:8.0
    host: 192.0.2.2
    port: 3306
    env: { secret: [MYSQL_ROOT_PASSWORD] }
    directories: ["data:/var/lib/mysql"]
  search:
    image: getmeili/meilisearch:v1
    host: 192.0.2.2
    port: 7700
    directories: ["data:/meili_data"]
asset_path: /rails/public/assets
`,
    });
    expect(file).toMatchObject({
      services: {
        web: {
          containerImage: 'registry.example.com/example/notes:latest',
          domains: [{ host: 'notes.example.com', port: 3000, https: true, certificateType: 'acme' }],
          healthCheck: { path: '/up', interval: 3 },
          variables: { LOG: 'info', MASTER_KEY: { secret: true } },
          mounts: [{ mountPath: '/rails/storage', type: 'volume', volumeName: 'storage' }],
        },
        job: { command: 'bin/jobs' },
        db: { kind: 'mysql', containerImage: 'mysql:8.0' },
        search: { kind: 'application', mounts: [{ mountPath: '/meili_data', volumeName: 'data' }] },
      },
    });
    for (const note of ['asset_path', 'folder /srv/x', 'has no tag', 'db: its data'])
      expect(said).toContain(note);
    const erb = await imported('kamal', { 'config/deploy.yml': 'service: <%= name %>\n' });
    expect(erb).toMatchObject({ code: 2, said: expect.stringContaining('kamal config') });
  });

  test('caprover takes the list of apps', async () => {
    const app = {
      hasPersistentData: false,
      notExposeAsWebApp: false,
      instanceCount: 1,
      ports: [],
      volumes: [],
    };
    const { file, said } = await imported('caprover apps.json', {
      'apps.json': {
        status: 100,
        data: {
          rootDomain: 'apps.example.com',
          appDefinitions: [
            {
              ...app,
              appName: 'blog',
              instanceCount: 2,
              containerHttpPort: 3e3,
              hasDefaultSubDomainSsl: true,
              envVars: [
                {
                  key: 'LOG',
                  value: 'info',
                },
              ],
              customDomain: [
                {
                  publicDomain: 'blog.example.com',
                  hasSsl: true,
                },
              ],
              appPushWebhook: {
                repoInfo: {
                  repo: 'git.example.com/a/blog',
                  branch: 'prod',
                  user: 'a',
                  password: 'x',
                },
              },
              versions: [
                {
                  version: 3,
                  deployedImageName: 'img-captain-blog:3',
                },
              ],
              deployedVersion: 3,
            },
            {
              ...app,
              appName: 'files',
              notExposeAsWebApp: true,
              envVars: [],
              customDomain: [],
              volumes: [
                {
                  containerPath: '/data',
                  volumeName: 'files-data',
                },
                {
                  containerPath: '/h',
                  hostPath: '/h',
                },
              ],
              ports: [
                {
                  hostPort: 2222,
                  containerPort: 22,
                },
              ],
              versions: [
                {
                  version: 0,
                  deployedImageName: 'example/sftp:1',
                },
              ],
              deployedVersion: 0,
              customNginxConfig: 'x',
            },
            {
              ...app,
              appName: 'blog-db',
              notExposeAsWebApp: true,
              envVars: [],
              customDomain: [],
              versions: [
                {
                  version: 0,
                  deployedImageName: 'postgres:14',
                },
              ],
              deployedVersion: 0,
            },
          ],
        },
      },
    });
    expect(file).toMatchObject({
      services: {
        blog: {
          replicas: 2,
          sourceType: 'git',
          customGitUrl: 'https://git.example.com/a/blog',
          customGitBranch: 'prod',
          domains: [
            { host: 'blog.apps.example.com' },
            {
              host: 'blog.example.com',
              port: 3e3,
              https: true,
            },
          ],
          variables: { LOG: 'info' },
        },
        files: {
          containerImage: 'example/sftp:1',
          mounts: [{ mountPath: '/data', volumeName: 'files-data' }],
          ports: [{ publishedPort: 2222, targetPort: 22 }],
        },
        'blog-db': { kind: 'postgres', containerImage: 'postgres:14' },
      },
    });
    for (const note of ['folder /h', 'customNginxConfig', 'blog-db: its data', 'sign-in for git'])
      expect(said).toContain(note);
    const one = await imported('caprover', {
      'captain-definition': { schemaVersion: 2, dockerfilePath: './docker/Dockerfile' },
    });
    expect(Object.values(Object(one.file).services)).toMatchObject([
      { buildType: 'dockerfile', dockerfile: 'docker/Dockerfile' },
    ]);
  });

  test('dokku takes the config, linked databases, processes, scale and checks', async () => {
    const { file, said } = await imported('dokku config.env', {
      'config.env':
        `DATABASE_URL="postgres://postgres:0f3@dokku-postgres-shopdb:5432/shopdb"\nDOKKU_APP_RESTORE="1"\n` +
        `DOKKU_PROXY_PORT_MAP="http:80:5000"\nGIT_REV="4f2a"\nexport LOG='info'\n`,
      Procfile: 'web: node .\nclock: node clock.js\n',
      DOKKU_SCALE: 'web=2\nclock=1\n',
      'app.json': {
        healthchecks: { web: [{ type: 'startup', path: '/up' }] },
        cron: [{ command: 'x', schedule: '@daily' }],
      },
    });
    expect(file).toEqual({
      project: 'moved',
      services: {
        shopdb: { kind: 'postgres' },
        web: {
          kind: 'application',
          sourceType: 'drop',
          buildType: 'heroku_buildpacks',
          command: 'node .',
          replicas: 2,
          variables: {
            DATABASE_URL: '${{shopdb.URL}}',
            LOG: 'info',
          },
          healthCheck: { path: '/up' },
        },
        clock: expect.objectContaining({ command: 'node clock.js', replicas: 1 }),
      },
    });
    for (const note of ['DOKKU_PROXY_PORT_MAP', 'cron', 'shopdb: its data']) expect(said).toContain(note);
  });

  test.each([
    ['herku', 'Did you mean heroku?'],
    ['kamal', 'There is no config/deploy.yml here'],
    ['heroku', 'neither an app.json nor a Procfile'],
    ['compose', 'There is no compose file here'],
    ['dokploy', '--from'],
  ])('%s without what it needs says so', async (format, sentence) => {
    expect(await imported(format, {})).toMatchObject({ code: 2, said: expect.stringContaining(sentence) });
  });

  test('writes over nothing', async () => {
    const ran = await imported('compose', {
      'berth.yml': 'project: mine\n',
      'compose.yml': 'services: {}\n',
    });
    expect(ran).toMatchObject({ code: 2, file: { project: 'mine' } });
  });
});
