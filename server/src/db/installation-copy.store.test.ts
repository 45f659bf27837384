import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bothDatabases } from '../../../test/store/each-database.ts';
import { readConfig } from '../config.ts';
import { installationCopies } from './installation-copy.ts';

bothDatabases('a snapshot of the installation', (test, dialect) => {
  it('is the whole database in its own form, a manifest and the sealed key, closed to others', async () => {
    const database = await test.open();
    const root = await mkdtemp(join(tmpdir(), 'berth-snapshot-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const config = readConfig({
      BERTH_DATA: root,
      ...(dialect === 'postgres' ? { DATABASE_URL: test.locationOf(database) } : {}),
    });
    let free = 1024 ** 4;
    const { makeFolder, snapshot, removeFolder } = installationCopies(config, database, {
      root,
      version: '1.2.3',
      now: () => '2026-01-01T00:00:00.000Z',
      disk: async () => ({ free, kept: 1024 ** 3 }),
    });
    const folder = await makeFolder('run');
    const name = dialect === 'sqlite' ? 'berth.sqlite' : 'berth.dump';
    expect(await snapshot(folder, 'sealed')).toEqual(['berth-backup.json', 'berth.key.sealed', name]);
    expect((await readFile(join(folder, name))).subarray(0, 5).toString()).toBe(
      dialect === 'sqlite' ? 'SQLit' : 'PGDMP',
    );
    expect(JSON.parse(await readFile(join(folder, 'berth-backup.json'), 'utf8'))).toEqual({
      form: 'berth-backup-1',
      version: '1.2.3',
      schema: expect.any(Number),
      database: name,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect((await stat(folder)).mode & 0o077).toBe(0);
    // A former attempt may have left its files.
    expect(await makeFolder('run')).toBe(folder);
    await removeFolder('run');
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    free = 1000;
    await expect(makeFolder('run')).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringMatching(/^Only 1000 bytes of disk are free; a copy of Berth's database needs/),
    });
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
