/** What the CLI has of the world; tests give their own. */
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable, type Readable } from 'node:stream';
import { UsageError } from './usage-error.ts';

export interface Terminal {
  environment: NodeJS.ProcessEnv;
  stdin: Readable & { isTTY?: boolean };
  /** Answers. */
  out(text: string): void;
  /** Questions and faults. */
  say(text: string): void;
  signal: AbortSignal;
}

/** The terminal this program was started from. */
export function ownTerminal(): Terminal {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  // A reader that has seen enough (head) closes the pipe; that is no fault.
  process.stdout.on('error', () => stop.abort());
  return {
    environment: process.env,
    stdin: process.stdin,
    out: (text) => void process.stdout.write(text),
    say: (text) => void process.stderr.write(text),
    signal: stop.signal,
  };
}

/** Content of a file; `-` is the standard input. */
export async function readText(terminal: Terminal, path: string): Promise<string> {
  if (path === '-') return text(terminal.stdin);
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`${path} cannot be read.`, { cause });
  });
}

/** A file to upload, read only as it is sent. */
export async function fileToSend(path: string): Promise<File> {
  // It throws at once when the file cannot be opened.
  const content = await Promise.try(() => openAsBlob(path)).catch((cause: unknown) => {
    throw new UsageError(`${path} cannot be read.`, { cause });
  });
  return new File([content], basename(path));
}

/** Asks for a secret without showing it; without a person there, one line of the standard input. */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  if (!terminal.stdin.isTTY) return firstLine(await text(terminal.stdin), question);
  terminal.say(question);
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.stdin, output: mute, terminal: true });
  try {
    return firstLine(await lines.question('', { signal: terminal.signal }), question);
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
