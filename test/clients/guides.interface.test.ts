/**
 * The commands of the guides (fenced blocks of the kind "berth", and indented lines), each guide walked from
 * its first line to its last against the started program. Capitals stand for what the commands
 * before answered, or for what the reader has already.
 */
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../cli/exit-codes.ts';
import { run } from '../../cli/run.ts';
import { repositoryRoot } from '../../images/build-context.ts';
import { runCommand } from '../../images/command.ts';
import { splitWords } from '../../server/src/domain/text/words.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { exceptions } from './guide-exceptions.ts';

let program: Program;
let world: World;
/** For guides that call services by names, of which there is one each in it. */
let another: World;
let folder: string;

beforeAll(async () => {
  const started = await startWithWorlds(1);
  program = started.program;
  world = started.first;
  another = started.worlds[0] ?? world;
  folder = mkdtempSync(join(tmpdir(), 'berth-guides-'));
  mkdirSync(join(folder, 'source', 'public'), { recursive: true });
  writeFileSync(join(folder, 'source', 'public', 'index.html'), '<h1>here</h1>');
  writeFileSync(join(folder, 'env'), 'GREETING=hello\n');
  writeFileSync(join(folder, 'key.pem'), 'a key\n');
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

/** Without comments; a line goes on where it ends with a backslash or inside quotes. */
function commandsOf(text: string): string[] {
  const whole = text.replaceAll(/ *\\\n\s*/gu, ' ');
  return [
    ...whole.matchAll(
      /^```berth\n(?<block>.*?)^```$|^ {4}(?:\.\/bin\/)?(?<line>berth (?:'[^']*'|[^'\n])*)$/gmsu,
    ),
  ]
    .flatMap(({ groups: { block = '', line = '' } = {} }) => [...block.split('\n'), line])
    .map((command) => command.replace(/ +# .*$/u, '').replaceAll(/\n\s*/gu, ' '))
    .filter((command) => command !== '');
}

/** What stands there before the first command of a guide that speaks of it. */
const before: Readonly<Record<string, readonly string[]>> = {
  'berth-file.md': ['project.create --name shop'],
  'terminal.md': [
    'project.create --name shop',
    'application.create --name web --environmentId ENVIRONMENT',
    'postgres.create --name db --appName a-db --databaseName shop --databaseUser ann --databasePassword "" ' +
      '--environmentId ENVIRONMENT',
    'compose.create --name stack --environmentId ENVIRONMENT',
  ],
};

/** What the reader has, and no command answers. */
const given = ({ own }: World): Record<string, string> => ({
  USER: own['userId'] ?? '',
  FOLDER: join(folder, 'source'),
  ENVFILE: join(folder, 'env'),
  KEY: 'an-access-key',
  SECRET: 'a-secret-key',
  FILE: 'of/an-object.dump.gz',
  VOLUME: 'a-former-volume',
});

/** What capitals stand for: `applicationId` of an answer becomes APPLICATION; the first of a list counts. */
function namesIn(place: World): { get(name: string): string | undefined; note(answer: unknown): void } {
  const fixed = new Map(Object.entries(given(place)));
  const names = new Map<string, string>();
  const note = (value: unknown): void => {
    if (Array.isArray(value)) return note(value[0]);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const [, noun] = /^(\w+)Id$/u.exec(key) ?? [];
      if (noun !== undefined && typeof inner === 'string') names.set(noun.toUpperCase(), inner);
      else note(inner);
    }
  };
  note(place.own);
  return { get: (name) => fixed.get(name) ?? names.get(name), note };
}

interface Ran {
  code: number;
  said: string;
  answer: unknown;
}

async function berth(place: World, argv: readonly string[], stdin: Buffer): Promise<Ran> {
  let out = '';
  let said = '';
  const key = place.people.owner.byKey['x-api-key'];
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
  return { code, said: said + out, answer: /^[[{]/u.test(out) ? JSON.parse(out) : undefined };
}

/** One line of a guide: a command of Berth, or `tar … | berth …`. */
async function walk(place: World, line: string, names: ReturnType<typeof namesIn>): Promise<Ran> {
  const filled = line
    .replaceAll('$(cat key.pem)', 'a key')
    .replaceAll(/(?<![\w-])@?[A-Z]{3,}(?![\w-])(?!=)/gu, (word) => {
      const name = word.replace('@', '');
      const value = names.get(name);
      if (value === undefined) throw new Error(`No command before it answered what ${name} stands for.`);
      return word.replace(name, value);
    });
  const parts = filled.split(' | ');
  const [program, ...argv] = splitWords(parts.pop() ?? '', 'command');
  expect(program, 'what is not a command of Berth is no block of this kind').toBe('berth');
  const [piped] = parts;
  if (piped === undefined) return berth(place, argv, Buffer.alloc(0));
  const [tool = '', ...rest] = splitWords(piped, 'command');
  expect(tool).toBe('tar');
  const archive = join(folder, 'source.tgz');
  await runCommand([tool, ...rest, '-f', archive], { limitMs: 60_000 });
  return berth(place, argv, readFileSync(archive));
}

const exceptionOf = (guide: string, line: string) =>
  exceptions.find((each) => each.guide === guide && each.command.test(line.replace(/^berth /u, '')));

describe('every command of a guide does what the guide says', () => {
  it('in more than twenty guides; those for newcomers are walked whole', () => {
    expect(guides.length).toBeGreaterThan(20);
    const whole = guides.filter(({ name, commands }) => !commands.some((line) => exceptionOf(name, line)));
    expect(whole.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['own-code.md', 'static-sites.md', 'variables.md', 'without-a-registry.md']),
    );
  });

  it('an exception is of a command that is there, and is seen by a test that is there', () => {
    for (const { guide, command, seenBy } of exceptions) {
      const { commands = [] } = guides.find(({ name }) => name === guide) ?? {};
      const isThere = commands.some((line) => command.test(line.replace(/^berth /u, '')));
      expect({ guide, command, isThere }).toEqual({ guide, command, isThere: true });
      expect(existsSync(join(repositoryRoot, seenBy)), seenBy).toBe(true);
    }
  });

  it.each(guides)('$name', async ({ name, commands }) => {
    const place = name in before ? another : world;
    const names = namesIn(place);
    for (const line of before[name] ?? []) names.note((await walk(place, `berth ${line}`, names)).answer);
    for (const line of commands) {
      const { refused, command } = exceptionOf(name, line) ?? {};
      if (command !== undefined && refused === undefined) continue;
      const { code, said, answer } = await walk(place, line, names);
      expect({ line, code, said }).toEqual({
        line,
        code: refused === undefined ? exitCodes.done : exitCodes.refused,
        said: expect.stringMatching(refused ?? /^/u),
      });
      names.note(answer);
    }
  });
});
