/** The words of the command line on a real Berth, engine and proxy: from a folder to an answering address. */
import { execFile as execFileCallback } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { expectCopied, expectMoved, expectThirty, type Run as CopyRun } from './command/copied-data.ts';
import { expectExec, expectForwarded } from './command/inside.ts';
import { familyClient } from '../clients/family-client.ts';
import { runBerth, type Ran, type RunOptions } from '../command-line.ts';
import { berthHost, type BerthHost } from './fixtures/berth-host.ts';
import type { Files } from './fixtures/repository.ts';
import { nodeFiles, nodeServer, pythonFiles, tinyFiles } from './fixtures/sources.ts';

const execFile = promisify(execFileCallback);

let berth: BerthHost;
let home: string;

beforeAll(async () => {
  berth = await berthHost(await bedOfRun(), 'command', 38);
  await berth.call('settings.update', { serverIp: berth.host.ip });
  home = await mkdtemp(join(tmpdir(), 'berth-command-'));
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await berth.host.kill();
});

async function folderOf(name: string, files: Files): Promise<string> {
  const folder = join(home, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

function at(
  folder: string,
  argv: string[],
  more: Pick<RunOptions, 'types' | 'columns' | 'signal'> & { environment?: Record<string, string> } = {},
): Promise<Ran> {
  const environment = {
    HOME: home,
    BERTH_URL: berth.url,
    BERTH_API_KEY: berth.signed()['x-api-key'],
    NO_COLOR: '1',
  };
  return runBerth(argv, { folder, ...more, environment: { ...environment, ...more.environment } });
}

async function answerOf({ out }: Ran): Promise<string> {
  const { url } = JSON.parse(out) as { url: string };
  return (await berth.proxied(new URL(url).host)).body.trim();
}

describe('berth deploy', () => {
  let site: string;

  it('brings a folder with a Dockerfile to an address that answers, asked for its name alone', async () => {
    site = await folderOf('my site', { ...tinyFiles('one'), '.dockerignore': 'notes\n', notes: 'kept here' });
    // Kept on the way, or the build could not run it.
    await chmod(join(site, 'busybox'), 0o755);
    const ran = await at(site, ['deploy', '--json'], { types: ['shop/web'], columns: 100 });
    expect(ran, ran.said).toMatchObject({ code: 0 });
    expect(ran.said).toMatch(/Name of the service \[my-site\] shop\/web\n/);
    expect(ran.said).toMatch(
      /── Building with dockerfile[\s\S]+build took \d+\.\d s[\s\S]+Deployed shop\/web in /,
    );
    expect(await answerOf(ran)).toBe('one');
  });

  it('asks nothing the second time, and shows the change', async () => {
    await writeFile(join(site, 'www/index.html'), 'two');
    const ran = await at(site, ['deploy', '--json'], { types: [], columns: 100 });
    expect(ran).toMatchObject({ code: 0, said: expect.not.stringContaining('Name of') });
    expect(await answerOf(ran)).toBe('two');
  });

  it('brings a static folder to an address, with nobody there to ask', async () => {
    const ran = await at(await folderOf('pages', { 'index.html': 'hello' }), ['deploy', '--wait']);
    expect(ran).toMatchObject({ code: 0 });
    expect(await answerOf(ran)).toBe('hello');
    expect(JSON.parse(ran.out)).toMatchObject({ service: 'shop/pages', status: 'done' });
  });

  it('ends with 1 and the reason when the build fails', async () => {
    const files = { Dockerfile: 'FROM scratch\nCOPY missing /\n' };
    const ran = await at(await folderOf('broken', files), ['deploy', 'shop/broken']);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ status: 'error', errorMessage: expect.any(String) });
  });

  it('goes back, runs a command, scales, restarts with a variable, and tells all of it', async () => {
    const back = await at(site, ['rollback']);
    expect(back, back.said).toMatchObject({ code: 0 });
    expect(await answerOf(back)).toBe('one');
    const echo = ['run', 'web', '--', '/bin/busybox', 'sh', '-c', 'echo hi; exit 7'];
    expect(await at(site, echo)).toMatchObject({ code: 7, out: 'hi\n' });
    expect(await at(site, ['scale', '2'])).toMatchObject({ code: 0 });
    expect(await at(site, ['env', 'set', 'COLOR=blue', '--restart'])).toMatchObject({ code: 0 });
    expect(JSON.parse((await at(site, ['ps', 'web'])).out)).toEqual(
      expect.arrayContaining([expect.objectContaining({ state: 'running' })]),
    );
    const status = await at(site, ['status', '--table'], { columns: 120 });
    expect(status.out).toMatch(
      /^SERVICE +KIND +STATUS[\s\S]+shop\/broken +application +error[\s\S]+1 of 3 need/,
    );
    expect((await at(site, ['history', '--table'], { columns: 120 })).out).toMatch(/rollback|Rollback|done/);
    expect(await at(site, ['logs', 'web', 'pages', '--tail', '5'])).toMatchObject({ code: 0 });
    const stopped = await at(site, ['stop', 'web', 'pages']);
    expect(stopped).toMatchObject({ code: 0 });
    // The state after it, not the one before.
    expect(JSON.parse(stopped.out)).toMatchObject([{ status: 'idle' }, { status: 'idle' }]);
    const started = await at(site, ['start', 'web']);
    expect(started).toMatchObject({ code: 0 });
    expect(JSON.parse(started.out)).toMatchObject([{ status: 'done' }]);
  });
});

describe('berth.yml', () => {
  let folder: string;
  const save = (content: unknown): Promise<void> => writeFile(join(folder, 'berth.yml'), stringify(content));
  const planned = async (): Promise<unknown> => JSON.parse((await at(folder, ['plan', '--prune'])).out);
  const nothing = { steps: [], deploys: [], problems: [] };

  it('is written of what runs, and applying it changes nothing', async () => {
    folder = await folderOf('as-file', { notes: '' });
    const before = (await at(folder, ['history', 'shop/web'])).out;
    expect(await at(folder, ['export', 'shop', '--output', 'berth.yml'])).toMatchObject({ code: 0 });
    expect(await planned()).toMatchObject(nothing);
    expect(await at(folder, ['apply', '--yes', '--prune'])).toMatchObject({ code: 0 });
    expect((await at(folder, ['history', 'shop/web'])).out).toBe(before);
  });

  it('brings what it says: a database first, a variable by a new release, an address at once', async () => {
    const file = parse(await readFile(join(folder, 'berth.yml'), 'utf8'));
    const { services } = file.environments.production;
    const [{ port }] = services.web.domains;
    services.web.variables = { COLOR: 'red' };
    services.web.domains.push({ host: 'file.example.com', port });
    services.web.redirects = [{ regex: '^/old$', replacement: '/index.html' }];
    services.cache = { kind: 'redis', containerImage: 'berth/redis:7' };
    delete services.broken;
    delete services.pages;
    await save(file);
    const refused = await at(folder, ['apply', '--yes', '--prune']);
    expect(refused).toMatchObject({ code: 2, said: expect.stringContaining('--allow-data-loss') });
    const ran = await at(folder, ['apply', '--yes', '--prune', '--allow-data-loss']);
    expect(ran, ran.said).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.out)).toMatchObject({ deployed: ['redis shop/cache', 'application shop/web'] });
    // A new release is made of the newest source.
    expect((await berth.proxied('file.example.com')).body.trim()).toBe('two');
    expect(await planned()).toMatchObject(nothing);
  });

  it('reaches into what it brought: a port that is not published, and programs', async () => {
    const run = (argv: string[], more = {}): Promise<Ran> => at(folder, argv, more);
    const { out } = await run(['db', 'connect', 'shop/cache', '--print']);
    const { password } = new URL(Object(JSON.parse(out)).internal);
    await expectForwarded(run, 'shop/cache', decodeURIComponent(password));
    await expectExec(run, 'shop/cache');
  });

  it('shows what was changed beside it, and takes it back', async () => {
    expect(await at(folder, ['env', 'set', 'shop/web', 'COLOR=blue', 'SIZE=3'])).toMatchObject({ code: 0 });
    expect(await planned()).toMatchObject({
      steps: [
        {
          what: 'application shop/web',
          cause: 'new release',
          changes: [
            { field: 'variables.COLOR', note: 'changed' },
            { field: 'variables.SIZE', note: 'removed' },
          ],
        },
      ],
    });
    expect(await at(folder, ['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(await planned()).toMatchObject(nothing);
  });
});

describe('from a clone of a sample to an address', () => {
  /** A clone of a repository with these files; where it is. */
  async function cloned(name: string, files: Files): Promise<string> {
    const origin = await folderOf(`origin-${name}`, files);
    const git = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-C', origin];
    await execFile('git', [...git, 'init', '--quiet']);
    await execFile('git', [...git, 'add', '.']);
    await execFile('git', [...git, 'commit', '--quiet', '--message', 'First']);
    await execFile('git', ['clone', '--quiet', origin, join(home, name)]);
    return join(home, name);
  }
  const timed = async (sample: string, folder: string, argv: string[]): Promise<Ran> => {
    const began = Date.now();
    const ran = await at(folder, argv);
    console.log(`sample ${sample}: berth ${argv.join(' ')}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
    return ran;
  };

  it('static: one command', async () => {
    const folder = await cloned('sample-static', { 'index.html': 'static sample', 'style.css': 'p {}' });
    const ran = await timed('static', folder, ['deploy']);
    expect(ran, ran.said).toMatchObject({ code: 0 });
    expect(await answerOf(ran)).toBe('static sample');
  });

  it('a folder of a monorepo with a Dockerfile: one command, and only that folder is sent', async () => {
    const inner = Object.entries(nodeFiles('mono')).map(([path, content]) => [`apps/web/${path}`, content]);
    const folder = await cloned('sample-mono', {
      ...Object.fromEntries(inner),
      'package.json': '{"private":true,"workspaces":["apps/*"]}',
      'apps/other/index.html': 'other',
    });
    const ran = await timed('monorepo', folder, ['deploy', 'samples/mono', '--folder', 'apps/web']);
    expect(ran, ran.said).toMatchObject({ code: 0, said: expect.stringContaining('Packed 2 files') });
    expect(JSON.parse(await answerOf(ran))).toMatchObject({ version: 'mono' });
  });

  it('Python with a Dockerfile: one command', async () => {
    const folder = await cloned('sample-python', pythonFiles('python sample'));
    const ran = await timed('python', folder, ['deploy']);
    expect(ran, ran.said).toMatchObject({ code: 0 });
    expect(await answerOf(ran)).toBe('python sample');
  });

  it('compose: one command, whose address leads to the service that people open', async () => {
    const composeFile = {
      services: {
        cache: { image: 'berth/redis:7' },
        web: {
          image: 'berth/node:24',
          command: ['node', '-e', nodeServer('compose').replaceAll('$', '$$$$')],
          environment: { CACHE: 'cache:6379' },
          ports: ['8080:3000'],
        },
      },
    };
    const folder = await cloned('sample-compose', { 'compose.yaml': stringify(composeFile) });
    const ran = await timed('compose', folder, ['deploy']);
    expect(ran, ran.said).toMatchObject({ code: 0 });
    expect(JSON.parse(await answerOf(ran))).toMatchObject({
      version: 'compose',
      env: { CACHE: 'cache:6379' },
    });
    const host = 'sample-stack.example.com';
    const routed = await at(folder, ['domains', 'add', host, '--http']);
    expect(routed, routed.said).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await berth.proxied(host)).body, { timeout: 60_000 })
      .toContain('"version":"compose"');
  });

  it('Node.js without a Dockerfile', async () => {
    const folder = await cloned('sample-node', {
      'package.json': '{"name":"sample","scripts":{"start":"node server.js"}}',
      'server.js': nodeServer('auto'),
    });
    const ran = await timed('node', folder, ['deploy', 'samples/node']);
    expect(ran, ran.said).toMatchObject({ code: 0 });
    expect(JSON.parse(await answerOf(ran))).toMatchObject({ version: 'auto' });
  });
});

describe('data of databases elsewhere', () => {
  const run: CopyRun = (argv, environment = {}) => at(home, argv, { environment });

  it('is copied by the programs in the container, or what was there stays', () => expectCopied(run));

  it('follows thirty services of another server, which are made as they were read', () =>
    expectThirty(run, berth, home));

  it('comes from another installation of the family, where its ports are published', () =>
    expectMoved(run, berth, home));
});

describe("the command line of the interface's family, against /compat", () => {
  const images = {
    postgres: 'berth/postgres:15',
    mysql: 'berth/mysql:9.7',
    mariadb: 'berth/mariadb:10.11',
    mongo: 'berth/mongo:7',
    redis: 'berth/redis:7',
  };

  it('makes, deploys, reads and removes a service of each kind', async () => {
    const client = familyClient(berth.url, berth.signed()['x-api-key'] ?? '', home);
    const { environment } = Object(await client('project create', { name: 'family' }));
    const { environmentId } = environment;
    const settled = async (kind: string, id: Record<string, string>): Promise<string> => {
      const statusOf = async (): Promise<string> => {
        const record = Object(await client(`${kind} one`, id));
        return String(record.applicationStatus ?? record.composeStatus);
      };
      await expect.poll(statusOf, { timeout: 240_000, interval: 1000 }).toMatch(/done|error/);
      return statusOf();
    };
    const remove = async (kind: string, word: string, id: Record<string, string>): Promise<void> => {
      const more: Record<string, true> = kind === 'compose' ? { deleteVolumes: true } : {};
      await client(`${kind} ${word}`, { ...id, ...more });
      await expect(client(`${kind} one`, id)).rejects.toThrow(/404/);
    };
    const databases = Object.entries(images).map(async ([kind, dockerImage]) => {
      const account: Record<string, string> = kind === 'redis' ? {} : { databaseUser: 'shop' };
      if (kind !== 'redis' && kind !== 'mongo') account['databaseName'] = 'shop';
      const more = { databasePassword: 'secret1', dockerImage, environmentId };
      const made = Object(await client(`${kind} create`, { name: kind, ...account, ...more }));
      const id = { [`${kind}Id`]: String(made[`${kind}Id`]) };
      await client(`${kind} deploy`, id);
      expect([kind, await settled(kind, id)]).toEqual([kind, 'done']);
      await remove(kind, 'remove', id);
    });
    const compose = async (): Promise<void> => {
      const composeFile = 'services:\n  cache:\n    image: berth/redis:7\n';
      const made = { name: 'stack', environmentId, composeFile, sourceType: 'raw' };
      const { composeId } = Object(await client('compose create', made));
      await client('compose deploy', { composeId });
      expect(await settled('compose', { composeId })).toBe('done');
      await remove('compose', 'delete', { composeId });
    };
    const application = async (): Promise<void> => {
      const { applicationId } = Object(await client('application create', { name: 'web', environmentId }));
      const image = { dockerImage: images.redis, username: '', password: '', registryUrl: '' };
      await client('application save-docker-provider', { applicationId, ...image });
      await client('domain create', { applicationId, host: 'family.example.com', port: '6379' });
      await client('application deploy', { applicationId });
      expect(await settled('application', { applicationId })).toBe('done');
      await remove('application', 'delete', { applicationId });
    };
    await Promise.all([...databases, compose(), application()]);
  });
});
