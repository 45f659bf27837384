import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAnsweringServer, type AnsweringServer } from '../../test/answering-server.ts';
import { runBerth } from '../../test/command-line.ts';
import { projectsOf, recordedAnswers } from '../../test/recorded-answers.ts';

/** Renames the window, clears the screen, puts a text on the clipboard. */
const hostile = 'w\u001B]0;pwned\u0007\u001B[2J\u001B]52;c;eA==\u0007\u009B2Jb';
const colours = new RegExp(`${String.fromCodePoint(0x1b)}\\[\\d*m`, 'g');

let server: AnsweringServer;
let folder: string;
beforeAll(async () => {
  const projects = JSON.parse(JSON.stringify(projectsOf([])).replaceAll('"web"', JSON.stringify(hostile)));
  server = await startAnsweringServer({ ...recordedAnswers, 'project.all': projects });
  folder = await mkdtemp(join(tmpdir(), 'berth-hostile-'));
  await writeFile(join(folder, 'berth.yml'), 'project: shop\nservices:\n  db: { kind: postgres }\n');
  const ofOwn = { kind: 'redis', description: hostile };
  const mine = { project: 'shop', services: { [`n${hostile}`]: ofOwn } };
  await writeFile(join(folder, 'mine.yml'), JSON.stringify(mine));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test.each([
  'status',
  'plan',
  'plan --prune',
  'plan --file mine.yml',
  'apply --file mine.yml --prune',
  'scale NAME 2',
  'stop NAME',
  'logs shop/wrong',
  'domains add shop.example.com NAME',
  'link NAME',
  'api project.all',
  'project.all',
  'status --json',
])('%s shows names of others without what moves a terminal', async (line) => {
  const argv = line.split(' ').map((word) => (word === 'NAME' ? `shop/${hostile}` : word));
  const environment = { HOME: folder, BERTH_URL: server.url, BERTH_API_KEY: 'key' };
  const ran = await runBerth(argv, { environment, folder, columns: 100 });
  const shown = `${ran.out}${ran.said}`;
  expect(shown).toContain('shop');
  // The colours are the program's own.
  expect(shown.replaceAll(colours, '')).not.toMatch(/[^\P{Cc}\n]/u);
});
