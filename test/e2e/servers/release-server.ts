/** Releases of programs, as a project publishes them: an archive or a program, and checksums beside it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface ReleaseServer extends AsyncDisposable {
  url: string;
  /** Paths that were asked for, in their order. */
  asked: string[];
}

/** A program that says its version, in a folder of its archive as projects pack it. */
async function packed(name: string, version: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-release-'));
  try {
    await mkdir(join(folder, `${name}-${version}`));
    const program = join(folder, `${name}-${version}`, name);
    await writeFile(program, `#!/bin/sh\necho ${version}\n`);
    await chmod(program, 0o755);
    await run('tar', ['-czf', join(folder, 'archive'), '-C', folder, `${name}-${version}`]);
    return await readFile(join(folder, 'archive'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * `pack` 9.8.7 as an archive behind a redirect; `nixpacks` with the checksum of something else; of `railpack`
 * nothing.
 */
export async function startReleaseServer(ip: string): Promise<ReleaseServer> {
  const archive = await packed('pack', '9.8.7');
  const sum = createHash('sha256').update(archive).digest('hex');
  const files: Readonly<Record<string, Buffer | string>> = {
    '/kept/pack-v9-linux.tgz': archive,
    '/v9/pack-v9-linux.tgz.sha256': `${sum}  pack-v9-linux.tgz\n`,
    '/v9/nixpacks-v9': '#!/bin/sh\necho 9.8.7\n',
    '/v9/checksums.txt': `${sum}  nixpacks-v9\n`,
  };
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const file = files[url];
    if (url === '/v9/pack-v9-linux.tgz')
      response.writeHead(302, { location: '/kept/pack-v9-linux.tgz' }).end();
    else response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, ip, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The release server has no port.');
  return {
    url: `http://${ip}:${address.port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
