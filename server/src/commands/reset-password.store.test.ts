import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accountWorlds } from '../../../test/http/worlds/account-world.ts';
import { send, type Answer } from '../../../test/http/call.ts';
import { eachDatabase } from '../../../test/store/each-database.ts';
import type { Database } from '../db/database.ts';
import { hashPassword } from '../modules/user/sign-in/password.ts';
import { runReset } from './reset-password.ts';
import { createStores } from '../composition/stores.ts';

eachDatabase('a password reset on the host', (test, dialect) => {
  const begin = accountWorlds(test);
  let data = '';
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'berth-reset-'));
  });
  afterEach(() => rm(data, { recursive: true, force: true }));

  /** What Berth would have been started with on this database. */
  async function environmentOf(database: Database): Promise<Record<string, string>> {
    const location = test.locationOf(database);
    if (dialect === 'postgres') return { BERTH_DATA: data, DATABASE_URL: location };
    await symlink(location, join(data, 'berth.sqlite'));
    return { BERTH_DATA: data };
  }
  async function reset(
    environment: Record<string, string>,
    argv: string[],
    input: string,
  ): Promise<{ code: number; out: string; said: string }> {
    const said = { out: '', said: '' };
    const code = await runReset(argv, {
      environment,
      stdin: Readable.from([Buffer.from(input)]),
      signal: new AbortController().signal,
      out: (text) => void (said.out += text),
      say: (text) => void (said.said += text),
    });
    return { code, ...said };
  }
  const signIn = (url: string, password: string): Promise<Answer> =>
    send(`${url}/api/auth/sign-in/email`, { body: { email: 'member@example.com', password } });

  it(
    'sets it beside a running Berth, which follows at once: every session ends, keys go on, and the log ' +
      'says so',
    async () => {
      const { database, server, session, people, member, owner } = await begin();
      const stores = createStores(database);
      await stores.users.users.update(
        { userId: 'user-member' },
        { passwordHash: await hashPassword('a forgotten one') },
      );
      const [here, others] = [await session(people.member), await session(people.owner)];
      expect((await signIn(server.url, 'a forgotten one')).status).toBe(200);
      expect(
        await reset(await environmentOf(database), ['--email', 'Member@Example.com'], 'a fresh password\n'),
      ).toEqual({
        code: 0,
        out:
          'The password of Member@Example.com is changed; 2 sessions ended. API keys stay valid: delete ' +
          'those you do not trust.\n',
        said: '',
      });
      expect(await here.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
      expect(await others.query('user.get')).toMatchObject({ id: 'user-owner' });
      expect(await member.query('user.get')).toMatchObject({ id: 'user-member' });
      expect((await signIn(server.url, 'a forgotten one')).status).toBe(401);
      expect((await signIn(server.url, 'a fresh password')).status).toBe(200);
      expect(await owner.query('audit.all', { procedure: 'auth.resetPassword' })).toEqual([
        expect.objectContaining({ userId: null, resourceId: 'user-member', outcome: 'done', ip: 'host' }),
      ]);
      // No lock, no key, no folder of an adapter: it was no second Berth.
      expect((await readdir(data)).filter((name) => !name.startsWith('berth.sqlite'))).toEqual([]);
    },
  );

  it('refuses unknown addresses, short passwords and wrong usage, and changes nothing', async () => {
    const { database } = await begin();
    const environment = await environmentOf(database);
    const stores = createStores(database);
    const before = await stores.users.users.list({});
    expect(await reset(environment, ['--email', 'unknown@example.com'], 'a fresh password')).toEqual({
      code: 1,
      out: '',
      said: 'There is no account with the e-mail address unknown@example.com.\n',
    });
    expect(await reset(environment, ['--email', 'member@example.com'], 'short')).toMatchObject({
      code: 1,
      said: expect.stringContaining('at least 8 characters'),
    });
    for (const argv of [
      [],
      ['--email'],
      ['member@example.com'],
      ['--email', 'member@example.com', '--password', 'given'],
    ])
      expect(await reset(environment, argv, 'a fresh password')).toMatchObject({
        code: 2,
        said: expect.stringContaining('Usage'),
      });
    expect(await reset(environment, ['--email', 'member@example.com'], '')).toMatchObject({ code: 2 });
    expect(await reset(environment, ['--help'], '')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Usage'),
    });
    expect(await stores.users.users.list({})).toEqual(before);
    expect(await stores.audit.all('organization-first')).toEqual([]);
  });

  it('refuses a database of another version, and one that is not there', async () => {
    const { database } = await begin();
    const environment = await environmentOf(database);
    await database.script(`INSERT INTO "schema_migration" VALUES (99, 'from the future', 'x')`);
    expect(await reset(environment, ['--email', 'member@example.com'], 'a fresh password')).toMatchObject({
      code: 1,
      said: expect.stringContaining('version 99'),
    });
    const empty = join(data, 'empty');
    expect(
      await reset({ BERTH_DATA: empty }, ['--email', 'member@example.com'], 'a fresh password'),
    ).toMatchObject({ code: 1, said: expect.stringContaining(`no database at ${empty}`) });
    await expect(readdir(empty)).rejects.toThrow('ENOENT');
  });

  it('is a command that takes the settings bin/up keeps before those around it', {
    timeout: 60_000,
  }, async () => {
    const { database } = await begin();
    const { DATABASE_URL } = await environmentOf(database);
    await writeFile(
      join(data, 'berth.env'),
      DATABASE_URL === undefined ? 'BERTH_PORT="3000"\n' : `DATABASE_URL="${DATABASE_URL}"\n`,
      { mode: 0o600 },
    );
    const environment = {
      PATH: process.env['PATH'] ?? '',
      BERTH_DATA: data,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    };
    const program = join(import.meta.dirname, '../../../bin/berth');
    const run = (argv: string[]): Promise<{ code: unknown; out: string; said: string }> =>
      new Promise((resolve) => {
        const child = execFile(
          program,
          ['reset-password', ...argv],
          { env: environment },
          (error, out, said) => resolve({ code: error?.code ?? 0, out, said }),
        );
        child.stdin?.end('a fresh password\n');
      });
    expect(await run(['--email', 'member@example.com'])).toEqual({
      code: 0,
      out: expect.stringContaining('is changed; 0 sessions ended'),
      said: '',
    });
    expect(await run(['--email', 'unknown@example.com'])).toMatchObject({
      code: 1,
      said: expect.stringContaining('no account'),
    });
    // The release that runs is asked before the checkout.
    const release = join(data, 'current');
    await mkdir(join(release, 'dist/server/src'), { recursive: true });
    await writeFile(
      join(release, 'dist/server/src/reset-password.js'),
      'console.log("the release", process.argv.slice(2).join(" "));',
    );
    await symlink(process.execPath, join(release, 'node'));
    expect(await run(['--email', 'x'])).toEqual({ code: 0, out: 'the release --email x\n', said: '' });
  });
});
