/** Backups that are encrypted for keys of a destination: what is stored, who opens it, what is told. */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { backupScenes, type BackupScene } from '../../../../../test/http/backup-scene.ts';
import { textOf } from '../../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { tableStore } from '../../../db/table-store.ts';
import { decrypted, newKeyPair } from '../../../domain/secrets/age.ts';
import { drain } from '../runs/streams.ts';
import { unsealed } from './keys.ts';

async function openedBy(identity: string, file: string): Promise<string> {
  const object = await readFile(file);
  async function* once(): AsyncGenerator<Uint8Array> {
    yield object;
  }
  const parts = await Array.fromAsync(decrypted(once(), { identities: [identity] }));
  return gunzipSync(Buffer.concat(parts)).toString();
}

eachDatabase('encrypted backups', (test) => {
  const begin = backupScenes(test);
  const beginWith = async (settings?: object): Promise<BackupScene & { destinationId: string }> => {
    const scene = await begin(settings);
    const destination = await tableStore(scene.database, 'destination').find({ name: 'disk' });
    return { ...scene, destinationId: destination?.destinationId ?? '' };
  };

  it('are opened by the key that Berth made, which it shows once and keeps sealed', async () => {
    const { owner, member, stranger, database, manual, files, runs, destinationId } = await beginWith();
    for (const client of [member, stranger])
      expect(await client.mutate('destination.makeKey', { destinationId })).toMatchObject({
        code: 'FORBIDDEN',
      });
    const made = await owner.mutate('destination.makeKey', { destinationId });
    const [identity, recipient] = [textOf(made, 'identity'), textOf(made, 'recipient')];
    expect(made).toMatchObject({ destination: { recipients: [recipient], heldKeys: [recipient] } });
    const shown = JSON.stringify([
      await owner.query('destination.one', { destinationId }),
      await owner.query('destination.all'),
    ]);
    expect(shown).toContain(recipient);
    expect(shown).not.toContain('AGE-SECRET-KEY');
    const rows = await database.run<Record<string, unknown>>(
      database.builder.selectFrom('destination').selectAll().compile(),
      [],
    );
    expect(JSON.stringify(rows)).not.toContain('AGE-SECRET-KEY');
    expect(await manual()).toBe(true);
    const [file = ''] = await files();
    expect(file).toMatch(/\.gz\.age$/);
    expect(await openedBy(identity, file)).toBe('the whole dump');
    const [run] = await runs();
    expect(run).toMatchObject({
      status: 'done',
      isStored: true,
      bytes: 14,
      storedBytes: (await readFile(file)).length,
      recipients: [recipient],
    });
  });

  it('stay readable when the destination gets other keys, which concern later ones alone', async () => {
    const { owner, desk, manual, files, runs, destinationId } = await beginWith();
    await manual();
    const first = textOf(await owner.mutate('destination.makeKey', { destinationId }), 'identity');
    await manual();
    const second = textOf(await owner.mutate('destination.makeKey', { destinationId }), 'recipient');
    const rest = await owner.mutate('destination.update', { destinationId, recipients: [second] });
    expect(rest).toMatchObject({ recipients: [second], heldKeys: [expect.any(String), second] });
    await manual();
    const [third, other, plain] = await runs();
    expect([plain?.['recipients'], third?.['recipients']]).toEqual([[], [second]]);
    const encryptedFiles = (await files()).filter((file) => file.endsWith('.age'));
    const old = encryptedFiles.find((file) =>
      file.endsWith(String(other?.['path']).split('/').at(-1) ?? '?'),
    );
    expect(await openedBy(first, old ?? '')).toBe('the whole dump');
    let seen = '';
    desk.load = async ({ run, signal }) => {
      const store = await desk.openStore(run.destinationId, run.organizationId);
      await drain(unsealed(store, run, store.read(run.path, signal)));
      seen = run.path;
    };
    for (const made of [third, other, plain]) {
      const restore = { ...restoreInput, destinationId, backupFile: String(made?.['path']) };
      expect(await owner.mutate('backup.restore', restore)).toMatchObject({ operation: 'restore' });
      await desk.idle();
      expect(seen).toBe(made?.['path']);
    }
  });

  it('of given recipients ask for their private key, and are not tried until there is one', async () => {
    const scene = await beginWith({ verifySchedule: '0 5 * * *' });
    const { owner, backupId, database, desk, clock, manual, runs, destinationId } = scene;
    const [own, other] = [await newKeyPair(), await newKeyPair()];
    await owner.mutate('destination.update', { destinationId, recipients: [own.recipient] });
    await manual();
    const [made] = await runs();
    expect(desk.triedOut).toEqual([]);
    const impossible = {
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining(`is encrypted for ${own.recipient}, and Berth has no private key`),
    };
    expect(await owner.mutate('backup.verify', { backupId })).toMatchObject(impossible);
    await desk.tick();
    clock.time = Date.parse('2026-06-01T05:00:01.000Z');
    await desk.tick();
    expect((await runs()).map(({ operation }) => operation)).not.toContain('verification');
    const restore = { ...restoreInput, destinationId, backupFile: String(made?.['path']) };
    expect(await owner.mutate('backup.restore', restore)).toMatchObject(impossible);
    for (const [identity, words] of [
      [other.identity, `is the private key of ${other.recipient}, but `],
      [own.recipient, 'must be a private key of age'],
    ] as const)
      expect(await owner.mutate('backup.restore', { ...restore, identity })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['identity'],
        message: expect.stringContaining(words),
      });
    let opened = '';
    desk.load = async ({ run, signal }) => {
      const store = await desk.openStore(run.destinationId, run.organizationId);
      const parts = await Array.fromAsync(unsealed(store, run, store.read(run.path, signal)));
      opened = gunzipSync(Buffer.concat(parts)).toString();
    };
    const run = await owner.mutate('backup.restore', { ...restore, identity: own.identity });
    expect(JSON.stringify(run)).not.toContain('AGE-SECRET');
    await desk.idle();
    expect(opened).toBe('the whole dump');
    const [kept] = await tableStore(database, 'backup_run').list({ operation: 'restore' });
    expect(kept).toMatchObject({ status: 'done', identity: null });
    await owner.mutate('destination.update', { destinationId, identity: own.identity });
    expect(await owner.mutate('backup.verify', { backupId })).toMatchObject({ status: 'done' });
    await owner.mutate('destination.update', { destinationId, identity: null });
    expect(await owner.mutate('backup.verify', { backupId })).toMatchObject(impossible);
  });
});

const restoreInput = { databaseId: 'postgres-first', databaseType: 'postgres', databaseName: 'shop' };
