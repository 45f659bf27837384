/** A person's terminal: a shell in tmux, as wide as said, which keeps everything that was shown. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Of one command, or of what it is to show before it is answered: far above what a busy machine needs. */
const limitMs = 60_000;

/** What a person waits for at the end of what is shown, without the space behind it, and types then. */
export type Reply = readonly [shown: RegExp, typed: string];
export const controlC = 'control-c';

export interface Terminal extends AsyncDisposable {
  /** Types a command, answers what it asks, and gives its exit code. */
  command(line: string, replies?: readonly Reply[]): Promise<number>;
  /** Everything that was shown, as lines so wide as the terminal. */
  shown(): Promise<string>;
}

export async function openTerminal(options: {
  columns: number;
  folder: string;
  environment: Readonly<Record<string, string>>;
}): Promise<Terminal> {
  const own = await mkdtemp(join(tmpdir(), 'berth-terminal-'));
  const socket = join(own, 'tmux');
  const tmux = async (...argv: string[]): Promise<string> =>
    (await run('tmux', ['-S', socket, ...argv], { timeout: limitMs, maxBuffer: 64 * 1024 * 1024 })).stdout;
  // A prompt says that the command before it has ended, and how.
  const prompt = `echo $? > ${own}/code; tmux -S ${socket} wait-for -S prompt`;
  await writeFile(join(own, 'rc'), `PS1='$ '\nPROMPT_COMMAND='${prompt}'\nHISTFILE=\n`);
  await writeFile(join(own, 'tmux.conf'), 'set -g history-limit 100000\nset -g status off\n');
  const environment = Object.entries(options.environment).map(([name, value]) => `${name}=${value}`);
  const session = ['new-session', '-d', '-x', String(options.columns), '-y', '50', '-c', options.folder];
  const shell = ['env', '-i', ...environment, '/bin/bash', '--noprofile', '--rcfile', join(own, 'rc')];
  await tmux('-f', join(own, 'tmux.conf'), ...session, ...shell);
  const shown = (): Promise<string> => tmux('capture-pane', '-p', '-S', '-');
  /** The sign comes a moment after the word that it will; what is typed before it would be shown twice. */
  async function prompted(): Promise<void> {
    await tmux('wait-for', 'prompt');
    await seen(/\$$/);
  }
  await prompted();

  async function seen(awaited: RegExp): Promise<void> {
    for (let left = limitMs / 50; ; left -= 1) {
      // Whole, where the terminal broke them.
      const lines = (await tmux('capture-pane', '-p', '-J')).trimEnd().split('\n');
      if (awaited.test(lines.slice(-3).join('\n'))) return;
      if (left <= 0) throw new Error(`Nothing like ${awaited.source}:\n${lines.slice(-30).join('\n')}`);
      await pause(50);
    }
  }
  async function reply([awaited, typed]: Reply): Promise<void> {
    await seen(awaited);
    if (typed === controlC) await tmux('send-keys', 'C-c');
    else {
      if (typed !== '') await type(typed);
      await tmux('send-keys', 'Enter');
    }
  }
  /** A `;` at the end would be tmux's own. */
  const type = (text: string): Promise<string> => tmux('send-keys', '-l', '--', text.replace(/;$/, '\\;'));

  return {
    shown,
    async command(line, replies = []) {
      await type(line);
      await tmux('send-keys', 'Enter');
      try {
        for (const one of replies) await reply(one);
      } catch (error) {
        // So that the commands behind it can be tried.
        await tmux('send-keys', 'C-c', 'C-d', 'C-d');
        await prompted();
        throw error;
      }
      await prompted();
      return Number(await readFile(join(own, 'code'), 'utf8'));
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => undefined);
      await rm(own, { recursive: true, force: true });
    },
  };
}
