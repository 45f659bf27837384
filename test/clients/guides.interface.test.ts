/**
 * The commands of the guides (fenced blocks of the kind "berth"), each guide walked from its first line to
 * its last against the started program. Capitals stand for what the commands before answered.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import { repositoryRoot } from '../../images/build-context.ts';
import { runCommand } from '../../images/command.ts';
import { splitWords } from '../../server/src/domain/text/words.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let world: World;
let folder: string;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
  folder = mkdtempSync(join(tmpdir(), 'berth-guides-'));
  mkdirSync(join(folder, 'source', 'public'), { recursive: true });
  writeFileSync(join(folder, 'source', 'public', 'index.html'), '<h1>here</h1>');
  writeFileSync(join(folder, 'env'), 'GREETING=hello\n');
});
afterAll(async () => {
  await program[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const guides = globSync('docs/guide/*.md', { cwd: repositoryRoot })
  .map((path) => ({
    name: basename(path),
    commands: commandsOf(readFileSync(join(repositoryRoot, path), 'utf8')),
  }))
  .filter(({ commands }) => commands.length > 0);

function commandsOf(text: string): string[] {
  return [...text.matchAll(/^```berth\n(.*?)^```$/gmsu)].flatMap(([, block = '']) =>
    block.split('\n').filter((line) => line !== ''),
  );
}

/** `applicationId` of an answer, wherever it stands, becomes APPLICATION; the first of a list counts. */
function note(names: Map<string, string>, value: unknown): void {
  if (Array.isArray(value)) return note(names, value[0]);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const [, noun] = /^(\w+)Id$/u.exec(key) ?? [];
    if (noun !== undefined && typeof inner === 'string') names.set(noun.toUpperCase(), inner);
    else note(names, inner);
  }
}

interface Ran {
  code: number;
  said: string;
  answer: unknown;
}

async function berth(argv: readonly string[], stdin: Buffer): Promise<Ran> {
  let out = '';
  let said = '';
  const key = world.people.owner.byKey['x-api-key'];
  const code = await run(argv, {
    environment: { HOME: folder, BERTH_URL: program.url, BERTH_API_KEY: key },
    folder,
    isTerminal: false,
    columns: 110,
    now: () => Date.now(),
    write: () => Promise.reject(new Error('A guide opens no terminal.')),
    runProgram: () => Promise.reject(new Error('A guide starts no other program.')),
    stdin: Readable.from([stdin]),
    out: (text) => void (out += text),
    say: (text) => void (said += text),
    signal: AbortSignal.timeout(120_000),
  });
  return { code, said, answer: out.trim() === '' ? undefined : JSON.parse(out) };
}

/** One line of a guide: a command of Berth, or `tar … | berth …`. */
async function walk(line: string, names: Map<string, string>): Promise<Ran> {
  const filled = line.replaceAll(/(?<![\w-])@?[A-Z]{4,}(?![\w-])/gu, (word) => {
    const name = word.replace('@', '');
    const value = names.get(name);
    if (value === undefined) throw new Error(`No command before it answered what ${name} stands for.`);
    return word.replace(name, value);
  });
  const parts = filled.split(' | ');
  const [program, ...argv] = splitWords(parts.pop() ?? '', 'command');
  expect(program, 'what is not a command of Berth is no block of this kind').toBe('berth');
  const [before] = parts;
  if (before === undefined) return berth(argv, Buffer.alloc(0));
  const [tool = '', ...rest] = splitWords(before, 'command');
  expect(tool).toBe('tar');
  const archive = join(folder, 'source.tgz');
  await runCommand([tool, ...rest, '-f', archive], { limitMs: 60_000 });
  return berth(argv, readFileSync(archive));
}

describe('every command of a guide does what the guide says', () => {
  it('in more than four guides', () => {
    expect(guides.length).toBeGreaterThan(4);
  });

  it.each(guides)('$name', async ({ commands }) => {
    const names = new Map([
      ['FOLDER', join(folder, 'source')],
      ['ENVFILE', join(folder, 'env')],
    ]);
    for (const line of commands) {
      const { code, said, answer } = await walk(line, names);
      expect({ line, code, said }).toEqual({ line, code: 0, said: expect.any(String) });
      note(names, answer);
    }
  });
});
