/** Berth and the S3 server killed in the middle of backups and restores, on a host of its own, since whatever else runs there would be killed with them. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { killTests } from './backups/faults.ts';
import { openVault, type Vault } from './backups/vault.ts';
import { berthHost } from './berth-host.ts';
import { openDataHouse } from './databases/data-house.ts';
import { expectCalmLog } from './workshop.ts';

let vault: Vault;

beforeAll(async () => {
  const bed = await bedOfRun();
  vault = await openVault(bed, await openDataHouse(await berthHost(bed, 'backup-killed', 39)), 'offsite');
});
afterAll(async () => {
  await vault.s3.kill();
  await vault.berth.host.kill();
});

describe('servers that are killed', () => {
  killTests(() => vault);
});

it('nothing of all this was a fault', () => expectCalmLog(vault.berth, []));
