import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { command } from './command.ts';
import { startPiped } from './piped.ts';

test('what a program wrote before its end is there for whoever reads it later', async () => {
  const child = startPiped(command(['sh', '-c', 'printf kept'], { cwd: '/' }));
  expect(await child.ended).toMatchObject({ exitCode: 0 });
  expect(await text(child.stdout)).toBe('kept');
});

test('much output waits for its reader, and the program with it', async () => {
  const child = startPiped(command(['sh', '-c', 'head -c 5000000 /dev/zero; echo end >&2'], { cwd: '/' }));
  await once(child.stdout, 'readable');
  let bytes = 0;
  for await (const piece of child.stdout) bytes += Buffer.from(piece).length;
  expect(bytes).toBe(5_000_000);
  expect(await child.ended).toMatchObject({ exitCode: 0, stderr: 'end' });
});

test('a program whose reader leaves ends', async () => {
  const child = startPiped(command(['yes'], { cwd: '/' }));
  await once(child.stdout, 'readable');
  child.stdout.destroy();
  expect((await child.ended).exitCode).not.toBe(0);
});
