/**
 * Every script that the command line writes, run by the shells that are here while names of services are
 * texts that try to become commands: none of them leaves its file behind.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAnsweringServer, type AnsweringServer } from '../test/answering-server.ts';
import { runBerth } from '../test/command-line.ts';
import { hostileValues } from '../test/e2e/hostile/hostile-values.ts';
import { projectsOf, recordedAnswers } from '../test/recorded-answers.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-scripts-'));
const canaryOf = (index: number): string => join(folder, `canary-${index}`);
const values = hostileValues(canaryOf).filter(({ text }) => text.length < 10_000);
let server: AnsweringServer;

beforeAll(async () => {
  const projects = projectsOf([]);
  server = await startAnsweringServer({ ...recordedAnswers, 'project.all': projects });
  // As it could answer if it filtered nothing: a script must not rely on that.
  const names = ['shop/web', ...values.map(({ text }) => `shop/${text}`), ...values.map(({ text }) => text)];
  writeFileSync(join(folder, 'names'), `${names.join('\n')}\n`);
  writeFileSync(join(folder, 'berth'), `#!/bin/sh\ncat '${join(folder, 'names')}'\n`, { mode: 0o755 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server[Symbol.asyncDispose]();
});

const canaries = (): number[] =>
  values.map((_value, index) => index).filter((index) => existsSync(canaryOf(index)));
const environment = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder };
const isHere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

async function scriptFor(shell: string): Promise<string> {
  const { out, code } = await runBerth(['completion', shell], { environment, folder, columns: 100 });
  expect(code).toBe(0);
  const path = join(folder, `completion.${shell}`);
  writeFileSync(path, out);
  return path;
}

/** Lines that a person has typed when the completion is asked for. */
const typed = ['logs ', 'logs sh', 'deploy shop/', 'env set ', 'db connect ', 'open $(', 'status --'];

describe('completion', () => {
  test.skipIf(!isHere('bash'))('in bash', async () => {
    const script = await scriptFor('bash');
    for (const line of typed) {
      const words = `berth ${line}`.split(' ');
      const program =
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _berth; ' +
        `printf '%s\\n' "\${COMPREPLY[@]}"`;
      const out = execFileSync('bash', ['--norc', '-c', program, 'bash', script, ...words], {
        env: environment,
        encoding: 'utf8',
      });
      expect(line === 'logs sh' ? out : 'shop/web').toContain('shop/web');
      expect(out).not.toMatch(/[$`;|&<>()\\'"]/);
    }
    expect(canaries()).toEqual([]);
  });

  test.skipIf(!isHere('zsh'))('in zsh', async () => {
    const script = await scriptFor('zsh');
    for (const line of typed) {
      const words = `berth ${line}`.split(' ');
      const program =
        'autoload -U compinit; compinit -u -D; source "$1"; shift; ' +
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ' +
        'emulate -L sh; setopt kshglob noshglob braceexpand; _berth; print -rl -- "${COMPREPLY[@]}"';
      execFileSync('zsh', ['-f', '-c', program, 'zsh', script, ...words], { env: environment });
    }
    expect(canaries()).toEqual([]);
  });

  test.skipIf(!isHere('fish'))('in fish', async () => {
    const script = await scriptFor('fish');
    for (const line of typed)
      execFileSync(
        'fish',
        ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, `berth ${line}`],
        {
          env: environment,
        },
      );
    expect(canaries()).toEqual([]);
  });

  test('lists only names that each shell takes for one word', async () => {
    const list = JSON.stringify(projectsOf([])).replaceAll('"web"', JSON.stringify('$(touch x)'));
    await using hostile = await startAnsweringServer({ ...recordedAnswers, 'project.all': JSON.parse(list) });
    const login = { ...environment, BERTH_URL: hostile.url, BERTH_API_KEY: 'key' };
    const { out } = await runBerth(['__services'], { environment: login, folder, columns: 100 });
    expect(out.split('\n').filter((name) => !/^[\w./-]*$/.test(name))).toEqual([]);
  });
});

test('a configuration of a forge takes no name that a shell or the forge would read', async () => {
  const list = (name: string): unknown =>
    JSON.parse(JSON.stringify(projectsOf([])).replaceAll('"web"', JSON.stringify(name)));
  for (const name of ['${{ secrets.KEY }}', '$(id)', 'a #b', 'a: b', "it's", '`id`']) {
    await using hostile = await startAnsweringServer({ ...recordedAnswers, 'project.all': list(name) });
    const login = { ...environment, BERTH_URL: hostile.url, BERTH_API_KEY: 'key' };
    for (const forge of ['github', 'gitlab']) {
      const ran = await runBerth(['ci', 'setup', forge, `shop/${name}`], {
        environment: login,
        folder,
        columns: 100,
      });
      expect([name, ran.code, ran.said]).toEqual([name, 2, expect.stringMatching(/Rename the\s+service/)]);
    }
  }
});
