/** Backups and restores of real databases on a real Berth, engine and S3 server. */
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { findBed, type Bed } from '../bed/bed.ts';
import { berthHost } from './berth-host.ts';
import { backUp, contentOf, fillRows, keep, listed, openVault, restore, sql, type Vault } from './backups/vault.ts';
import { openDataHouse } from './databases/data-house.ts';

vi.setConfig({ maxConcurrency: 8 });

let bed: Bed;
let vault: Vault;

beforeAll(async () => {
  const found = await findBed(inject('bed').name, new AbortController().signal);
  if (found === null) throw new Error('The bed of this run is gone.');
  bed = found;
  vault = await openVault(bed, await openDataHouse(await berthHost(bed, 'backup', 37)), 'offsite');
});
afterAll(async () => {
  await vault.s3.kill();
  await vault.berth.host.kill();
});

describe.concurrent('a backup', () => {
  it.each([['postgres', 500_000], ['mariadb', 50_000]] as const)('of %s is restored to the row', async (kind, rows) => {
    const { berth, house } = vault;
    const base = await house.database(kind, `kept-${kind}`);
    await base.deploy();
    await fillRows(berth, base, rows);
    const before = await contentOf(berth, base);
    const kept = await keep(vault, base);
    const run = await backUp(kept);
    console.log(JSON.stringify(run, undefined, 1), await kept.log(run.backupRunId));
    expect(await listed(vault, base.id)).toEqual([run.path]);
    await sql(berth, base, 'delete from items where id % 2 = 0');
    expect(await contentOf(berth, base)).not.toBe(before);
    const restored = await restore(vault, base, run.path);
    console.log(restored.log.join('\n'));
    expect(restored.success).toBe(true);
    expect(await contentOf(berth, base)).toBe(before);
  });
});
