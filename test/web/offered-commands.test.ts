/** Each command line that the dashboard offers for copying is one that the command line takes. */
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { splitWords } from '../../server/src/domain/text/words.ts';
import { startAnsweringServer, type AnsweringServer } from '../answering-server.ts';
import { runBerth } from '../command-line.ts';
import { recordedAnswers } from '../recorded-answers.ts';

let server: AnsweringServer;
let home: string;
beforeAll(async () => {
  server = await startAnsweringServer(recordedAnswers);
  home = await mkdtemp(join(tmpdir(), 'berth-offered-'));
  await writeFile(join(home, 'index.html'), 'hello');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

const web = join(import.meta.dirname, '../../web/src');

/** What stands for a value in the sources of the dashboard. */
const values: readonly (readonly [RegExp, string])[] = [
  [/\$\{location\.origin\}/g, 'https://berth.example.com'],
  [/\$\{serviceOnCommandLine\(service\)\}|\$\{what\}|\$\{name\}/g, 'shop/web'],
  [/\$\{(?:row\.)?id\}/g, 'web-id'],
  [/\$\{kind\}/g, 'application'],
  [/\$\{service\}/g, '--applicationId web-id'],
  [/\$\{topic\}/g, '{"topic":"ops"}'],
  [/\$\{forge\}/g, 'github'],
  [/ > \$\{files\[forge\]\}/g, ''],
];

/** What a person is asked or told next; the line itself was right. */
const next = [
  /Nothing was given for "/,
  /Give --yes/,
  /has no address/,
  /Append this line to/,
  /needs a terminal/,
  // Two environments of the recorded answers have a service of the same id.
  /is ambiguous: it may be any of/,
];

interface Offered {
  file: string;
  command: string;
}

async function offeredTexts(): Promise<Offered[]> {
  const files = globSync('**/*.{ts,tsx}', { cwd: web });
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(web, file), 'utf8');
      return [...text.matchAll(/(?<![\w(])(["'`])(berth [^\n]*?)(?<!\\)\1/g)].map(([, , command = '']) => ({
        file,
        command: values.reduce((line, [what, value]) => line.replace(what, value), command),
      }));
    }),
  );
  return found.flat();
}

/** Those of the palette, whatever the service is. */
async function offeredActions(): Promise<Offered[]> {
  const file = 'frame/actions.ts';
  const { actions }: { actions: readonly PaletteAction[] } = await import(join(web, file));
  return actions.flatMap(({ of, command }) =>
    of.flatMap((family) => {
      const kind = family === 'database' ? 'postgres' : family;
      const name = family === 'database' ? 'shop/db' : 'shop/web';
      return [{ file, command: command(name, { kind, id: 'web-id' }) }];
    }),
  );
}

interface PaletteAction {
  of: readonly string[];
  command(what: string, row: { kind: string; id: string }): string;
}

test('each is parsed, and is not refused as wrongly written', { timeout: 120_000 }, async () => {
  const offered = [
    ...(await offeredTexts()).filter(({ file }) => file !== 'frame/actions.ts'),
    ...(await offeredActions()),
  ];
  expect(offered.length).toBeGreaterThan(30);
  const refused: string[] = [];
  for (const { file, command } of offered) {
    expect(command, `${file}: a value that the test does not know`).not.toContain('${');
    const [, ...argv] = splitWords(command.replace(/ SERVER$/, ' fsn-1'), 'command');
    const { code, said } = await runBerth(argv, {
      environment: { HOME: home, BERTH_URL: server.url, BERTH_API_KEY: 'key' },
      folder: home,
    });
    if (code === 2 && !next.some((words) => words.test(said))) refused.push(`${file}: ${command}: ${said}`);
  }
  expect(refused).toEqual([]);
});
