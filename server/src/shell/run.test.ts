import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../domain/secrets/secret.ts';
import { command } from './command.ts';
import { endProcessGroup, isAlive, membersOf } from './process-identity.ts';
import { run } from './run.ts';
import type { RunOptions } from './run.ts';
import type { ProcessIdentity } from '../domain/states/process-identity.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function sh(
  script: string,
  options: Partial<RunOptions> & { env?: Record<string, string | Secret>; cwd?: string } = {},
) {
  const lines: string[] = [];
  const { env = {}, cwd = folder, ...rest } = options;
  const result = await run(command(['/bin/sh', '-c', script], { cwd, env }), {
    signal: new AbortController().signal,
    limitMs: 20_000,
    scratchDirectory: join(folder, 'scratch'),
    onLine: (line) => lines.push(line),
    ...rest,
  });
  return { ...result, lines };
}

describe('run', () => {
  test('gives exit code and lines of both outputs, and leaves no file', async () => {
    expect(await sh('echo one; echo two >&2; exit 3')).toEqual({
      ended: 'exited',
      exitCode: 3,
      signal: undefined,
      stdout: '',
      lines: ['one', 'two'],
    });
    expect(readdirSync(join(folder, 'scratch'))).toEqual([]);
  });

  test('keeps stdout apart when asked to', async () => {
    expect(await sh('echo answer; echo note >&2', { captureStdout: true })).toMatchObject({
      stdout: 'answer\n',
      lines: ['note'],
    });
  });

  test('the output file is private while the command runs', async () => {
    let mode = 0;
    await sh('sleep 0.2', {
      onChild: async () => {
        const [name = ''] = readdirSync(join(folder, 'scratch'));
        mode = statSync(join(folder, 'scratch', name)).mode & 0o777;
      },
    });
    expect(mode).toBe(0o600);
  });

  test('nothing of our own environment arrives', async () => {
    process.env['BERTH_TEST_LEAK'] = 'leak';
    const { lines } = await sh('env | cut -d= -f1 | sort', { env: { GIVEN: new Secret('x') } });
    delete process.env['BERTH_TEST_LEAK'];
    const allowed = [
      'BERTH_RUN',
      'GIVEN',
      'HOME',
      'LANG',
      'PATH',
      'PWD',
      '_',
      'OLDPWD',
      'SHLVL',
      'SSL_CERT_FILE',
      'SSL_CERT_DIR',
      'NODE_EXTRA_CA_CERTS',
      'GIT_SSL_CAINFO',
      'GIT_SSL_CAPATH',
      'CURL_CA_BUNDLE',
      'REQUESTS_CA_BUNDLE',
    ];
    expect(lines.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(lines).toContain('GIVEN');
  });

  test('lines come while the command runs, after the child was made known', async () => {
    const events: string[] = [];
    const aborter = new AbortController();
    await sh('echo first; sleep 60', {
      signal: aborter.signal,
      onChild: async () => void events.push('child'),
      onLine: (line) => {
        events.push(line);
        aborter.abort();
      },
    });
    expect(events).toEqual(['child', 'first']);
  });

  test('a missing program, folder and an endless argument have their sentences', async () => {
    const options = {
      signal: new AbortController().signal,
      limitMs: 1000,
      scratchDirectory: join(folder, 'scratch'),
    };
    await expect(run(command(['no-such-program-xyz'], { cwd: folder }), options)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('no-such-program-xyz is not installed'),
    });
    await expect(run(command(['/bin/true'], { cwd: '/no/such/folder' }), options)).rejects.toMatchObject({
      message: expect.stringContaining('folder is gone'),
    });
    await expect(
      run(command(['/bin/true', 'x'.repeat(1_000_000)], { cwd: folder }), options),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('ending', () => {
  test('an abort ends the whole group, and what left the group', async () => {
    const aborter = new AbortController();
    let child: ProcessIdentity | undefined;
    let members: number[] = [];
    const result = await sh(
      'sleep 61 & setsid sleep 62 & (setsid sh -c "sleep 63 & sleep 64" &) ; echo up; wait',
      {
        signal: aborter.signal,
        onChild: async (identity) => {
          child = identity;
          await expect.poll(() => membersOf(identity).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(6);
          members = membersOf(identity);
          aborter.abort();
        },
      },
    );
    expect(result).toMatchObject({ ended: 'aborted', signal: 'SIGTERM' });
    if (child === undefined) throw new Error('the child was not made known');
    expect(membersOf(child)).toEqual([]);
    expect(members.length).toBeGreaterThanOrEqual(6);
  });

  test('the limit ends it, and KILL follows where TERM is ignored', async () => {
    const started = Date.now();
    const result = await sh('trap "" TERM; while :; do sleep 0.1; done', { limitMs: 200, graceMs: 500 });
    expect(result).toMatchObject({ ended: 'limit', signal: 'SIGKILL' });
    expect(Date.now() - started).toBeGreaterThan(700);
  });

  test('what a command leaves behind ends with it', async () => {
    let child: ProcessIdentity | undefined;
    const result = await sh('sleep 65 & echo bye', { onChild: async (identity) => void (child = identity) });
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, lines: ['bye'] });
    const identity = child;
    if (identity === undefined) throw new Error('the child was not made known');
    // The kernel takes a killed process away a moment after its signal.
    await expect.poll(() => membersOf(identity), { timeout: 60_000 }).toEqual([]);
  });

  test('endless output ends it', async () => {
    expect(await sh('yes', { maxOutputBytes: 1_000_000 })).toMatchObject({ ended: 'output' });
  });

  test('aborted before it began, it does not begin', async () => {
    const result = await sh('touch made', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ended: 'aborted', exitCode: undefined });
    expect(readdirSync(folder)).not.toContain('made');
  });

  test('when the child cannot be recorded, it does not go on', async () => {
    let child: ProcessIdentity | undefined;
    const failing = sh('sleep 66', {
      onChild: async (identity) => {
        child = identity;
        throw new Error('disk full');
      },
    });
    await expect(failing).rejects.toThrow('disk full');
    if (child === undefined) throw new Error('the child was not made known');
    expect(membersOf(child)).toEqual([]);
  });
});

test('the child outlives a kill -9 of its parent, and the next start ends exactly it', async () => {
  const identityFile = join(folder, 'identity.json');
  const script = join(folder, 'parent.ts');
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs';
    import { command } from '${import.meta.dirname}/command.ts';
    import { run } from '${import.meta.dirname}/run.ts';
    await run(command(['/bin/sh', '-c', 'while echo tick; do sleep 0.05; done'], { cwd: '${folder}' }), {
      signal: new AbortController().signal, limitMs: 60000, scratchDirectory: '${folder}/orphan',
      onChild: async (child) => writeFileSync('${identityFile}', JSON.stringify(child)),
      onLine: () => process.stdout.write('line\\n'),
    });`,
  );
  const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  const child: ProcessIdentity = JSON.parse(readFileSync(identityFile, 'utf8'));
  const exited = once(parent, 'exit');
  parent.kill('SIGKILL');
  await exited;
  const [name = ''] = readdirSync(join(folder, 'orphan'));
  const size = () => statSync(join(folder, 'orphan', name)).size;
  const before = size();
  await expect.poll(size, { timeout: 60_000 }).toBeGreaterThan(before + 20);
  expect(isAlive(child)).toBe(true);
  expect(await endProcessGroup(child)).toBe(true);
  expect(isAlive(child)).toBe(false);
});
