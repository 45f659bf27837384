/** The command line as an installation serves it, installed by its script as a person would. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { addCommandLine } from './command-line.ts';

const run = promisify(execFile);
const program = "#!/usr/bin/env node\nimport { argv } from 'node:process';\nconsole.log('berth', argv[2]);\n";

async function served(): Promise<{
  folder: string;
  app: ReturnType<typeof Fastify>;
  url: string;
  file: string;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-served-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.mjs');
  await writeFile(file, program);
  const app = Fastify();
  onTestFinished(() => app.close());
  addCommandLine(app, file);
  return { folder, app, url: await app.listen({ host: '127.0.0.1', port: 0 }), file };
}

it('is one file with the digest of what is sent, kept until it changes', async () => {
  const { app, file } = await served();
  const first = await app.inject('/cli/berth.mjs');
  expect(first).toMatchObject({ statusCode: 200, body: program });
  const { etag = '' } = first.headers;
  expect(etag).toBe(`"${createHash('sha256').update(program).digest('hex')}"`);
  const again = { url: '/cli/berth.mjs', headers: { 'if-none-match': etag } };
  expect((await app.inject(again)).statusCode).toBe(304);
  await writeFile(file, `${program}// newer\n`);
  expect((await app.inject(again)).body).toContain('newer');
});

it('is installed over loopback, and runs', async () => {
  const { folder, url } = await served();
  const env = { HOME: folder, PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
  const { stdout } = await run('sh', ['-c', `curl -fsSL ${url}/cli/install.sh | sh`], { env });
  expect(stdout).toContain(`Installed ${folder}/.local/bin/berth, version berth --version.`);
  expect(stdout).toContain('to PATH');
  expect((await run(join(folder, '.local/bin/berth'), ['hello'], { env })).stdout).toBe('berth hello\n');
});

it('is not installed when what comes is not what was promised', async () => {
  const { folder, app, url } = await served();
  const script = (await app.inject({ url: '/cli/install.sh', headers: { host: new URL(url).host } })).body;
  const env = { HOME: folder, PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
  const changed = script.replace(/'[0-9a-f]{64}'/, `'${'0'.repeat(64)}'`);
  expect(changed).not.toBe(script);
  await expect(run('sh', ['-c', changed], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not the program that this Berth serves'),
  });
  await expect(run(join(folder, '.local/bin/berth'), [], { env })).rejects.toMatchObject({ code: 'ENOENT' });
});

it('comes with no script over plain http from elsewhere, nor for a host that is none', async () => {
  const { app } = await served();
  const from = async (host: string) => app.inject({ url: '/cli/install.sh', headers: { host } });
  for (const host of ['192.0.2.7:3000', 'berth.example.com', 'localhost.example.com']) {
    const { body } = await from(host);
    expect(body).toContain('plain http');
    await expect(run('sh', ['-c', body])).rejects.toMatchObject({ code: 1 });
  }
  expect((await from("a'; id; '")).statusCode).toBeGreaterThanOrEqual(400);
  const none = Fastify();
  addCommandLine(none, undefined);
  expect((await none.inject('/cli/berth.mjs')).statusCode).toBeGreaterThanOrEqual(400);
});
