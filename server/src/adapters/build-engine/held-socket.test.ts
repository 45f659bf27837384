import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdSocket } from './held-socket.ts';

describe('the socket of a builder', () => {
  let folder: string;
  let offered: string;
  let held: string;
  const servers: Server[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-held-'));
    mkdirSync(join(folder, 'builder'));
    offered = join(folder, 'builder', 'docker.sock');
    held = join(folder, 'held', 'docker.sock');
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  const listen = async (path: string, says: string): Promise<void> => {
    const server = createServer((_request, response) => response.end(says));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(path, resolve));
  };
  const asked = (socketPath: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ socketPath, path: '/', agent: false }, (answer) => resolve(text(answer)))
        .on('error', reject)
        .end();
    });

  it('is the one that it was when it was looked at, whatever stands in its place later', async () => {
    const host = join(folder, 'host.sock');
    await listen(host, 'host');
    await listen(offered, 'builder');
    expect(await holdSocket(offered, held)).toBe(true);
    expect(await holdSocket(offered, held)).toBe(true);
    renameSync(offered, `${offered}.away`);
    symlinkSync(host, offered);
    expect(await asked(offered)).toBe('host');
    expect(await asked(held)).toBe('builder');
  });

  it('is another one after its engine was started again', async () => {
    await listen(offered, 'first');
    await holdSocket(offered, held);
    renameSync(offered, `${offered}.away`);
    await listen(offered, 'second');
    expect(await holdSocket(offered, held)).toBe(true);
    expect(await asked(held)).toBe('second');
  });

  it('is none where there is nothing, a link or a file', async () => {
    const host = join(folder, 'host.sock');
    await listen(host, 'host');
    await listen(offered, 'builder');
    await holdSocket(offered, held);
    rmSync(offered);
    for (const put of [
      () => undefined,
      () => symlinkSync(host, offered),
      () => symlinkSync(join(folder, 'nothing'), offered),
      () => writeFileSync(offered, ''),
    ]) {
      put();
      expect(await holdSocket(offered, held)).toBe(false);
      await expect(asked(held)).rejects.toMatchObject({ code: 'ENOENT' });
      rmSync(offered, { force: true });
    }
  });
});
