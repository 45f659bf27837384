/** A Redis database is kept by its own dump, and comes back from it, however it keeps its files. */
import { expect, it } from 'vitest';
import { dockerOf } from '../../bed/docker.ts';
import { openDatabaseFixture, type Base, type DatabaseFixture } from '../databases/database-fixture.ts';
import type { BerthHost } from '../fixtures/berth-host.ts';
import { output } from '../fixtures/applications.ts';
import type { RunView } from './backup-fixture.ts';

export interface RedisPlace {
  berth: BerthHost;
  /** Folder of the destination. */
  files: string;
  backUp(subject: { redisId: string }, serviceDuring: string): Promise<RunView>;
  restore(subject: { redisId: string }, backupFile: string): Promise<RunView>;
  /** Runs of which there is a container. */
  left(): Promise<string[]>;
}

/** With every sign that a configuration, a shell or a protocol might take for its own. */
const password = `pa'ss "w\\o$rd* #1`;
const longMs = 300_000;

/** What `redis-cli` answers to the commands in the database's own container. */
async function ask({ services }: BerthHost, base: Base, commands: string): Promise<string> {
  const docker = dockerOf(services);
  const [container = ''] = await docker.containersOf((await base.view()).appName);
  const script = `printf '%s\\n' "$0" | REDISCLI_AUTH="$1" redis-cli`;
  return (await docker.exec(container, ['sh', '-c', script, commands, password])).trim();
}

const write = [
  'SET word one',
  'SET binary "\\x00\\xff\\r\\n"',
  'EXPIRE word 100000',
  `EVAL "for i = 1, 20000 do redis.call('set', 'k' .. i, string.rep('x', 200)) end" 0`,
  'SELECT 3',
  'HSET hash field value',
].join('\n');
const read = ['GET word', 'GET binary', 'DBSIZE', 'GET new', 'SELECT 3', 'HGETALL hash', 'DBSIZE'].join('\n');

async function filled(berth: BerthHost, databases: DatabaseFixture, args: string[]): Promise<Base> {
  const base = await databases.database('redis', args.length === 0 ? 'snapshots' : 'appends', {
    databasePassword: password,
  });
  await base.do('update', { args });
  await base.deploy();
  await ask(berth, base, write);
  return base;
}

export function redisTests(place: () => RedisPlace): void {
  it.each([
    ['snapshots', []],
    ['an append-only file', ['--appendonly', 'yes']],
  ])('a Redis database with %s comes back by its dump', { timeout: longMs }, async (_title, args) => {
    const { berth, files, backUp, restore, left } = place();
    const base = await filled(berth, await openDatabaseFixture(berth), args);
    const subject = { redisId: base.id };
    const before = await ask(berth, base, read);
    expect(before).toContain('20002');

    expect(await berth.call('volumeBackup.volumes', subject)).toEqual([
      { volumeName: 'data', mountPaths: ['/data'] },
    ]);
    const run = await backUp(subject, 'running');
    expect([run.status, run.errorMessage, run.steps.map(({ name }) => name)]).toEqual([
      'done',
      null,
      ['dump', 'compress', 'upload', 'verify', 'record'],
    ]);
    expect(await output(berth.host, 'sh', '-c', `gunzip -c '${files}/${run.path}' | head -c 5`)).toBe(
      'REDIS',
    );

    await ask(berth, base, 'FLUSHALL\nSET new one');
    await output(berth.host, 'sh', '-c', `echo this is no dump | gzip > ${files}/no-dump.rdb.gz`);
    const wrong = await restore(subject, 'no-dump.rdb.gz');
    expect(wrong).toMatchObject({
      status: 'error',
      previousVolume: null,
      errorMessage: expect.stringContaining('This is no dump of Redis.'),
    });
    expect(await ask(berth, base, 'GET new\nDBSIZE')).toBe('one\n1');

    const restored = await restore(subject, run.path);
    expect([restored.errorMessage, restored.steps.map(({ name }) => name)]).toEqual([
      null,
      ['find', 'beside', 'load', 'check', 'change over'],
    ]);
    expect(restored.steps.find(({ name }) => name === 'check')?.detail).toBe('20003 keys');
    expect(await ask(berth, base, read)).toBe(before);
    expect(await ask(berth, base, 'TTL word')).toMatch(/^99\d{3}$/);
    expect(await base.view()).toMatchObject({ formerVolumes: [{ volumeName: restored.previousVolume }] });
    // What it keeps on its disk is what it begins with again.
    await base.do('stop');
    expect(await backUp(subject, 'running')).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('The database is not running'),
    });
    await base.do('start');
    expect(await ask(berth, base, read)).toBe(before);
    expect(await left()).toEqual([]);
    await base.do('remove');
  });
}
