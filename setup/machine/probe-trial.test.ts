import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { faultOfProbe } from './probe-trial.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probe-trial-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const signal = new AbortController().signal;

/** A program in front of busybox. */
function inFront(text: string): string {
  const path = join(folder, 'busybox');
  writeFileSync(path, `#!/bin/sh\n${text}\nexec /bin/busybox "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

test.skipIf(!existsSync('/bin/busybox'))("Debian's busybox does what health checks ask of it", async () => {
  expect(await faultOfProbe('/bin/busybox', { signal })).toBeUndefined();
});

test.skipIf(!existsSync('/bin/busybox'))('one that crashes on a request is found out', async () => {
  expect(await faultOfProbe(inFront('[ "$1" = wget ] && kill -SEGV $$'), { signal })).toMatch(
    /^asked for a page that answers 200 it ended with exit code 1\d\d$/,
  );
});

test('so are one that does nothing, and none', async () => {
  const idle = join(folder, 'busybox');
  writeFileSync(idle, '#!/bin/sh\nexit 0\n');
  chmodSync(idle, 0o755);
  expect(await faultOfProbe(idle, { signal })).toBe(
    'asked for a page that answers 200 it ended with exit code 0',
  );
  expect(await faultOfProbe(join(folder, 'none'), { signal })).toBeDefined();
});
