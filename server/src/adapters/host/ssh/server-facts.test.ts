/** What programs of a server tell, asked of those of this machine. */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import type { RunThere } from './remote-files.ts';
import { freeBytesThere } from './server-facts.ts';

const runHere: RunThere = ([program, ...args]) =>
  new Promise((resolve) => {
    execFile(program, args, { env: { ...process.env, LC_ALL: 'C' } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

it('the free bytes of a disk are those that the kernel tells', async () => {
  const { bavail, bsize, blocks } = await statfs(tmpdir());
  const free = await freeBytesThere(runHere, tmpdir());
  // Others write to it at the same time.
  expect(Math.abs(free - bavail * bsize)).toBeLessThan(0.2 * blocks * bsize);
});

it('a folder that is not there is named', async () => {
  await expect(freeBytesThere(runHere, '/no/such folder')).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringContaining('/no/such folder'),
  });
});
