import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { goodKey, startContractServer, type ContractServer, goodCode } from '../test/contract-server.ts';
import { runBerth, type Ran } from '../test/command-line.ts';

let server: ContractServer;
let home: string;
beforeAll(async () => {
  server = await startContractServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'berth-cli-'));
});
afterEach(async () => {
  server.seen.length = 0;
  server.signedOut.length = 0;
  await rm(home, { recursive: true });
});

const berth = (
  argv: string[],
  { environment, stdin = '' }: { environment?: NodeJS.ProcessEnv; stdin?: string } = {},
): Promise<Ran> =>
  runBerth(argv, {
    environment: { HOME: home, ...(environment ?? { BERTH_URL: server.url, BERTH_API_KEY: goodKey }) },
    folder: home,
    stdin,
  });

describe('a procedure', () => {
  test('prints its answer as JSON', async () => {
    expect(await berth(['deployment.readLogs', '--deploymentId', 'd1', '--tail', '1'])).toEqual({
      code: 0,
      out: '[\n  "second"\n]\n',
      said: '',
    });
  });

  test('takes each field by its schema', async () => {
    await writeFile(join(home, 'env'), 'A=1\nB=2\n');
    const { code } = await berth([
      'application.update',
      '--applicationId',
      'a1',
      '--replicas',
      '3',
      '--autoDeploy',
      '--no-enableSubmodules',
      '--no-memoryLimit',
      '--env',
      `@${join(home, 'env')}`,
      '--args',
      'serve',
      '--args=--port',
      '--watchPaths',
      '["a","b"]',
      '--healthCheck',
      '{"path":"/up"}',
      '--description=@@me',
      '--name',
      '5',
    ]);
    expect(code).toBe(0);
    expect(server.seen).toEqual([
      {
        applicationId: 'a1',
        replicas: 3,
        autoDeploy: true,
        enableSubmodules: false,
        memoryLimit: null,
        env: 'A=1\nB=2\n',
        args: ['serve', '--port'],
        watchPaths: ['a', 'b'],
        healthCheck: { path: '/up' },
        description: '@me',
        name: '5',
      },
    ]);
  });

  test('null is text for a field that takes texts, and nothing for others', async () => {
    const argv = ['application.update', '--applicationId', 'a1', '--healthCheck', 'null', '--name', 'null'];
    expect(await berth(argv)).toMatchObject({ code: 0 });
    expect(server.seen).toEqual([{ applicationId: 'a1', healthCheck: null, name: 'null' }]);
  });

  test('takes the whole input from the standard input', async () => {
    expect(
      await berth(['application.deploy', '--input', '@-', '--title', 'v2'], {
        stdin: '{"applicationId":"a1","title":"v1"}',
      }),
    ).toMatchObject({ code: 0, out: 'true\n' });
    expect(server.seen).toEqual([{ applicationId: 'a1', title: 'v2', description: '', withoutCache: false }]);
  });

  test('@ before what is no file is a value, and @@ begins one', async () => {
    await writeFile(join(home, 'daily'), 'from the file');
    for (const text of ['@daily', '@@daily', `@${join(home, 'daily')}`])
      await berth(['application.update', '--applicationId', 'a1', '--description', text]);
    expect(server.seen).toMatchObject([
      { description: '@daily' },
      { description: '@daily' },
      { description: 'from the file' },
    ]);
  });

  test('sends what comes through a pipe', async () => {
    const argv = ['application.dropDeployment', '--applicationId', 'a1', '--file'];
    expect(await berth([...argv, '-'], { stdin: 'PK' })).toMatchObject({ code: 0 });
    const fifo = join(home, 'pipe');
    execFileSync('mkfifo', [fifo]);
    const [sent] = await Promise.all([berth([...argv, fifo]), writeFile(fifo, 'PK')]);
    expect(sent).toMatchObject({ code: 0 });
    expect(server.seen).toMatchObject([
      { fileName: 'stdin', text: 'PK' },
      { fileName: 'pipe', text: 'PK' },
    ]);
  });

  test('sends a file', async () => {
    await writeFile(join(home, 'source.zip'), 'PK');
    expect(
      await berth([
        'application.dropDeployment',
        '--applicationId',
        'a1',
        '--file',
        join(home, 'source.zip'),
      ]),
    ).toMatchObject({ code: 0, out: 'true\n' });
    expect(server.seen).toEqual([{ applicationId: 'a1', fileName: 'source.zip', text: 'PK' }]);
  });

  test.each([
    [['--follow'], 'd1', 0],
    [[], 'd1', 0],
    [['--follow'], 'bad', 1],
    [[], 'bad', 1],
  ])('a stream %j of %s prints its lines and ends with %i', async (flags, deploymentId, code) => {
    expect(await berth(['deployment.logs', '--deploymentId', deploymentId, ...flags])).toEqual({
      code,
      out: 'line 1\nline 2\nline 3\n',
      said: '',
    });
  });
});

describe('what goes wrong', () => {
  test('a refusal: sentence, issues, exit code 1', async () => {
    expect(await berth(['deployment.one', '--deploymentId', 'd1'])).toEqual({
      code: 1,
      out: '',
      said: 'Not now. Try later.\n',
    });
    expect(await berth(['application.update', '--applicationId', 'a1', '--replicas', 'many'])).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^The input is not valid\. replicas: .+number.+\n$/),
    });
    expect(
      await berth(['application.update', '--applicationId', 'a1', '--replicas', 'many', '--name', '']),
    ).toMatchObject({
      said: expect.stringMatching(/^The input is not valid\. name: .+\n {2}replicas: .+\n$/),
    });
    expect(server.seen).toEqual([]);
  });

  test.each<[string[], RegExp]>([
    [['deployment.none'], /There is no deployment\.none/],
    [['deployment.one', '--id', 'd1'], /deployment\.one takes no --id\. It takes: --deploymentId/],
    [['deployment.one', 'd1'], /"d1" does not belong to an option/],
    [['deployment.one', '--deploymentId', 'a', '--deploymentId', 'b'], /takes one value/],
    [['deployment.one', '--input', '{'], /not valid JSON/],
    [['deployment.one', '--input', '[]'], /takes a JSON object/],
    [['deployment.one', '--file', '/etc/hosts'], /takes no --file/],
    [['application.dropDeployment', '--applicationId', 'a1'], /needs --file/],
    [
      ['application.dropDeployment', '--applicationId', 'a1', '--file', '/nowhere'],
      /\/nowhere cannot be read/,
    ],
    [['login'], /--url is required/],
    [
      ['application.dropDeployment', '--applicationId', 'a1', '--file', '/tmp'],
      /\/tmp is a folder; --file takes one file\. Pack it .*tar -cz -C \/tmp \. \|/,
    ],
    [
      ['application.update', '--applicationId', 'a1', '--env', '@/nowhere'],
      /\/nowhere cannot be read: there is no/,
    ],
    [
      ['application.update', '--applicationId', 'a1', '--env', '@/tmp'],
      /\/tmp cannot be read: it is a folder/,
    ],
    [['login', '--url', 'my berth'], /which is not an address/],
    [['login', '--url', 'ftp://berth.example.com'], /which is not an address/],
  ])('wrong usage %j: exit code 2', async (argv, sentence) => {
    expect(await berth(argv)).toEqual({ code: 2, out: '', said: expect.stringMatching(sentence) });
    expect(server.seen).toEqual([]);
  });

  test('a missing field is told once, as missing', async () => {
    expect(await berth(['application.deploy'])).toEqual({
      code: 1,
      out: '',
      said: 'The input is not valid. applicationId is required.\n',
    });
  });

  test.each<[string[], number]>([
    [['--command', 'one'], 1],
    [['--command', '["a","b"]'], 2],
    [['--command', `sh -c "exit 3"`], 3],
    [['--command', 'sh', '--command=-c', '--command', 'exit 3', '--command', 'x'], 4],
    [['--command', 'lost'], 1],
  ])('application.run %j ends with the exit code %i of its program', async (argv, code) => {
    expect(await berth(['application.run', '--applicationId', 'a1', ...argv])).toMatchObject({
      code,
      said: '',
    });
  });

  test('a command whose quote does not end is refused', async () => {
    for (const field of ['application.run --command', 'application.update --preReleaseCommand']) {
      const [path = '', flag = ''] = field.split(' ');
      expect(await berth([path, '--applicationId', 'a1', flag, 'sh -c "exit'])).toMatchObject({
        code: 1,
        said: expect.stringMatching(/ommand: must be 1 to \d+ words: .+ every quote closed\n$/),
      });
    }
    expect(server.seen).toEqual([]);
  });

  test('nobody there: exit code 3', async () => {
    const environment = { BERTH_URL: 'http://127.0.0.1:1', BERTH_API_KEY: goodKey };
    expect(await berth(['user.get'], { environment })).toEqual({
      code: 3,
      out: '',
      said: expect.stringMatching(/cannot be reached/),
    });
  });

  test.each<[string, string]>([
    ['127.0.0.1:1', 'http://127.0.0.1:1'],
    ['localhost:1', 'http://localhost:1'],
  ])('an address of this machine without a scheme is http: %s', async (written, url) => {
    expect(
      await berth(['user.get'], { environment: { BERTH_URL: written, BERTH_API_KEY: goodKey } }),
    ).toEqual({ code: 3, out: '', said: expect.stringMatching(new RegExp(`^Berth at ${url} cannot.*\n$`)) });
  });

  test('another address without a scheme is https, and the sentence says so', async () => {
    const said = expect.stringMatching(
      /^Berth at https:\/\/berth\.invalid:1 cannot be reached.*\n"berth\.invalid:1" has no scheme/,
    );
    const environment = { BERTH_URL: 'berth.invalid:1', BERTH_API_KEY: goodKey };
    expect(await berth(['user.get'], { environment })).toEqual({ code: 3, out: '', said });
    const login = ['login', '--url', 'berth.invalid:1'];
    expect(await berth(login, { environment: {}, stdin: goodKey })).toEqual({ code: 3, out: '', said });
  });
});

describe('login', () => {
  const config = (): string => join(home, '.config/berth/config.json');

  test('with a password makes a key and keeps it for itself alone; logout revokes it', async () => {
    expect(
      await berth(['login', '--url', server.url, '--email', 'ann@example.com'], {
        environment: {},
        stdin: 'right password\n',
      }),
    ).toEqual({ code: 0, out: `Signed in to ${server.url} as ann@example.com (owner).\n`, said: '' });
    expect(server.seen).toEqual([
      expect.objectContaining({
        name: expect.stringMatching(/^berth on /),
        metadata: { organizationId: 'o1' },
      }),
    ]);
    expect((await stat(config())).mode & 0o777).toBe(0o600);
    expect(await berth(['deployment.readLogs', '--deploymentId', 'd1'], { environment: {} })).toMatchObject({
      code: 0,
    });
    expect(await berth(['logout'], { environment: {} })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Signed out/),
    });
    expect(server.seen.at(-1)).toEqual({ apiKeyId: 'k1' });
    expect(server.signedOut).toEqual(['session-token']);
    expect(await berth(['user.get'], { environment: {} })).toMatchObject({
      code: 2,
      said: expect.stringMatching(/Not signed in/),
    });
  });

  test('the first user signs up', async () => {
    const argv = ['sign-up', '--url', server.url, '--email', 'ann@example.com', '--name', 'Ann'];
    expect(await berth(argv, { environment: {}, stdin: 'right password' })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Signed in/),
    });
    expect(await readFile(config(), 'utf8')).toContain(goodKey);
    expect(server.signedOut).toEqual(['session-token']);
  });

  test('whoever was invited gives the token, at sign-up and at login', async () => {
    const argv = ['--url', server.url, '--email', 'ann@example.com', '--token', 'invited'];
    expect(
      await berth(['sign-up', ...argv, '--name', 'Ann'], { environment: {}, stdin: 'right password' }),
    ).toMatchObject({ code: 0 });
    expect(await berth(['login', ...argv], { environment: {}, stdin: 'right password' })).toMatchObject({
      code: 0,
    });
    expect(server.tokens).toEqual(['invited', 'invited']);
  });

  test('asks for the code of a second factor, once', async () => {
    const argv = ['login', '--url', server.url, '--email', 'careful@example.com'];
    expect(await berth(argv, { environment: {}, stdin: `right password\n${goodCode}\n` })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Signed in/),
    });
    expect(await berth(argv, { environment: {}, stdin: 'right password\n000000\n' })).toMatchObject({
      code: 1,
      said: expect.stringContaining('code'),
    });
    expect(await berth(argv, { environment: {}, stdin: 'right password\n' })).toMatchObject({
      code: 2,
      said: expect.stringContaining('authenticator app'),
    });
  });

  test('a member who may make no key is told so', async () => {
    expect(
      await berth(
        [
          'sign-up',
          '--url',
          server.url,
          '--email',
          'keyless@example.com',
          '--name',
          'Ann',
          '--token',
          'invited',
        ],
        { environment: {}, stdin: 'right password' },
      ),
    ).toEqual({
      code: 1,
      out: '',
      said:
        'The account keyless@example.com is valid, but this program needs an API key, and the account may ' +
        'not create one. You lack the permission canAccessToAPI. An Owner or Admin of the organization ' +
        'can give it.\n',
    });
  });

  test('with a key that does not work keeps nothing', async () => {
    expect(
      await berth(['login', '--url', server.url], { environment: {}, stdin: 'berth_bad\n' }),
    ).toMatchObject({ code: 1, said: 'This key is not valid. Make a new one.\n' });
    await expect(stat(config())).rejects.toThrow(/ENOENT/);
  });

  test('a file that others may read is refused', async () => {
    await berth(['login', '--url', server.url], { environment: {}, stdin: goodKey });
    await chmod(config(), 0o644);
    expect(await berth(['user.get'], { environment: {} })).toMatchObject({
      code: 2,
      said: expect.stringMatching(/chmod 600/),
    });
  });
});

describe('help', () => {
  test('lists routers, procedures and fields from the contracts', async () => {
    expect((await berth([])).out).toMatch(/ deploy +deploys this folder/);
    expect((await berth(['api'])).out).toMatch(/Routers: user, organization, project, /);
    expect((await berth(['deployment'])).out).toMatch(/^deployment\.all +Deployments, newest/);
    const { out } = await berth(['application.update', '--help']);
    expect(out).toContain('  --applicationId string (required)');
    expect(out).toMatch(/--replicas integer {2}min 0; max 100/);
    expect((await berth(['deployment.logs', '--help'])).out).toContain('--follow');
  });

  test.each(['sign-up', 'login', 'logout', 'reset-password'])('%s has a page of its own', async (name) => {
    const page = await berth(['help', name]);
    expect(page).toMatchObject({ code: 0, said: '' });
    expect(page.out.startsWith(`berth ${name}`)).toBe(true);
  });

  test('a word says the same by --help and -h as by help, in lines that fit', async () => {
    expect((await berth(['login', '--help'])).out).toBe((await berth(['help', 'login'])).out);
    expect((await berth(['login', '-h'])).out).toBe((await berth(['help', 'login'])).out);
    const { out } = await berth(['help', 'deploy']);
    expect(out.split('\n').filter((line) => line.length > 79)).toEqual([]);
  });
});
