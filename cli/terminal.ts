/** What the CLI has of the world; tests give their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, openAsBlob } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { blob, text } from 'node:stream/consumers';
import { Writable, type Readable } from 'node:stream';
import { onTerminal } from './output/printable.ts';
import { sentence } from './output/wrap.ts';
import type { ProgramArgv } from './program-argv.ts';
import { UsageError } from './usage-error.ts';

export interface Terminal {
  environment: NodeJS.ProcessEnv;
  /** Folder that the program was started in. */
  folder: string;
  stdin: Readable & { isTTY?: boolean };
  /** Whether a person reads the answers: what goes into a pipe or a file is JSON instead of a table. */
  isTerminal: boolean;
  /** Letters of a line. */
  columns: number;
  /** Answers. */
  out(text: string): void;
  /** Questions and faults. */
  say(text: string): void;
  signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs another program with this terminal (an editor, a database's shell) and gives its exit code. */
  runProgram(argv: ProgramArgv, more?: NodeJS.ProcessEnv): Promise<number>;
  /** Bytes as they are; resolves when there is room for more. */
  write(bytes: Uint8Array, to: 'output' | 'errors'): Promise<void>;
  /** Of a person who sees the answers and types: what a program in a container talks with. */
  person?: Person | undefined;
}

export interface Person {
  size(): { columns: number; rows: number };
  /**
   * Every key goes to whoever reads the standard input from now on, ctrl-C too, until what it gives is
   * called.
   */
  take(onResize: (columns: number, rows: number) => void): () => void;
}

/** As much of it as a command takes that only talks: it makes no tables and starts no programs. */
export type Conversation = Pick<Terminal, 'environment' | 'stdin' | 'out' | 'say' | 'signal'>;

/** Where there is no telling how wide a line is. */
const usualColumns = 80;
const usualRows = 24;

/** The terminal this program was started from. */
export function ownTerminal(): Terminal {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  // A reader that has seen enough (head) closes the pipe; that is no fault.
  process.stdout.on('error', () => stop.abort());
  return {
    environment: process.env,
    folder: process.cwd(),
    isTerminal: process.stdout.isTTY,
    columns: Number(process.env['COLUMNS']) || process.stdout.columns || usualColumns,
    // Opened by its first reader: many commands read nothing.
    get stdin() {
      return process.stdin;
    },
    // Whatever stands in a text, a terminal gets nothing from it but letters and colours.
    out: (text) => void process.stdout.write(process.stdout.isTTY ? onTerminal(text) : text),
    say: (text) => void process.stderr.write(process.stderr.isTTY ? onTerminal(text) : text),
    signal: stop.signal,
    now: Date.now,
    runProgram,
    write: (bytes, to) => written(to === 'output' ? process.stdout : process.stderr, bytes),
    person: process.stdin.isTTY && process.stdout.isTTY ? ownPerson() : undefined,
  };
}

function ownPerson(): Person {
  const { stdin, stdout } = process;
  const size = (): { columns: number; rows: number } => ({
    columns: stdout.columns || usualColumns,
    rows: stdout.rows || usualRows,
  });
  return {
    size,
    take(onResize) {
      const follow = (): void => onResize(size().columns, size().rows);
      stdout.on('resize', follow);
      stdin.setRawMode(true);
      return () => {
        stdout.off('resize', follow);
        stdin.setRawMode(false);
      };
    },
  };
}

async function written(stream: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> {
  if (!stream.write(bytes)) await once(stream, 'drain');
}

async function runProgram([program, ...words]: ProgramArgv, more: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(program, words, { stdio: 'inherit', env: { ...process.env, ...more } });
  try {
    const [code]: unknown[] = await once(child, 'exit');
    return typeof code === 'number' ? code : 1;
  } catch (cause) {
    throw new UsageError(`${program} is not installed here, or cannot be started.`, { cause });
  }
}

/** Content of a file; `-` is the standard input. */
export async function readText(terminal: Terminal, path: string): Promise<string> {
  if (path === '-') return text(terminal.stdin);
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
}

/** Whether anything stands there. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** A file to upload, read only as it is sent; what comes through a pipe is read before. */
export async function fileToSend(terminal: Terminal, path: string): Promise<File> {
  if (path === '-') return new File([await blob(terminal.stdin)], 'stdin');
  try {
    const kind = await stat(path);
    if (kind.isDirectory()) throw new UsageError(aFolder(path));
    const content = kind.isFile() ? await openAsBlob(path) : await blob(createReadStream(path));
    return new File([content], basename(path));
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unreadable(path, cause);
  }
}

function aFolder(path: string): string {
  return (
    `${path} is a folder; --file takes one file. Pack it while sending it: tar -cz -C ${quote(path)} . | ` +
    'berth … --file -'
  );
}

/** As a shell reads it back. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function unreadable(path: string, cause: unknown): UsageError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const why =
    code === 'ENOENT' ? ': there is no such file' : code === 'EISDIR' ? ': it is a folder, not a file' : '';
  return new UsageError(`${path} cannot be read${why}.`, { cause });
}

/** Lines of a standard input that is no person, not yet asked for. */
const unread = new WeakMap<Readable, string[]>();

/** Asks for a secret without showing it; without a person there, the next line of the standard input. */
export async function askSecret(
  terminal: Pick<Conversation, 'stdin' | 'say' | 'signal'>,
  question: string,
): Promise<string> {
  if (!terminal.stdin.isTTY) {
    const lines = unread.get(terminal.stdin) ?? (await text(terminal.stdin)).split(/\r?\n/);
    unread.set(terminal.stdin, lines);
    return firstLine(lines.shift() ?? '', question);
  }
  terminal.say(question);
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.stdin, output: mute, terminal: true });
  try {
    return firstLine(await answerOf(lines, '', terminal), question);
  } finally {
    lines.close();
    terminal.say('\n');
  }
}

function firstLine(answer: string, question: string): string {
  const [line = ''] = answer.split(/\r?\n/);
  if (line === '') throw new UsageError(`Nothing was given for "${question.trim()}".`);
  return line;
}

/** A space at which no line is broken. */
const noBreak = '\u00A0';

/** Asks a person, with what an empty answer means; without a person there it is that. */
export async function ask(terminal: Terminal, question: string, usual: string): Promise<string> {
  if (!isPersonThere(terminal)) return usual;
  const output = new Writable({
    write(chunk, _encoding, done) {
      terminal.say(String(chunk));
      done();
    },
  });
  const lines = createInterface({ input: terminal.stdin, output });
  try {
    // What is offered stays beside the end of the question.
    const whole = sentence(`${question}${noBreak}[${usual}]`, terminal);
    const answer = await answerOf(lines, `${whole.replaceAll(noBreak, ' ')} `, terminal);
    return answer.trim() || usual;
  } finally {
    lines.close();
  }
}

/** Throws UsageError when what is typed ends in its place, by ctrl-D. */
function answerOf(
  lines: Interface,
  question: string,
  { say, signal }: Pick<Conversation, 'say' | 'signal'>,
): Promise<string> {
  const ended = new Promise<never>((_resolve, reject) => {
    lines.once('close', () => reject(new UsageError('There was no answer, so nothing was done.')));
  });
  // Whoever closes it afterwards has the answer.
  ended.catch(() => undefined);
  const answered = lines.question(question, { signal });
  return Promise.race([answered, ended]).catch((error: unknown) => {
    if (error instanceof UsageError && question !== '') say('\n');
    throw error;
  });
}

/** Whether questions can be asked: somebody sits at both ends. */
export function isPersonThere({ stdin, isTerminal }: Terminal): boolean {
  return isTerminal && stdin.isTTY === true;
}

/** Throws UsageError unless a person says yes, or `--yes` was given. */
export async function confirm(terminal: Terminal, what: string, isSure: boolean): Promise<void> {
  if (isSure) return;
  if (!isPersonThere(terminal)) throw new UsageError(`${what} Give --yes to do it without asking.`);
  const answer = await ask(terminal, `${what} Continue?${noBreak}(yes/no)`, 'no');
  if (!/^y(es)?$/i.test(answer)) throw new UsageError('Nothing was done.');
}
