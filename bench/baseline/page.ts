/** The bare React page of web/bare, built and served beside a Berth, whose interface it asks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

export interface BarePage {
  url: string;
  /** The folder that it was built into. */
  folder: string;
  close(): Promise<void>;
}

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** `logsUrl` gives the streams of logs in the place of Berth. */
export async function serveBarePage(
  root: string,
  folder: string,
  { berthUrl, logsUrl }: { berthUrl: string; logsUrl: string },
): Promise<BarePage> {
  await build(root, folder);
  const server = createServer((asked, answer) => {
    const path = asked.url ?? '/';
    if (path.startsWith('/api/')) {
      const target = path.startsWith('/api/deployment.logs') ? logsUrl : berthUrl;
      const onward = request(new URL(path, target), { method: asked.method, headers: asked.headers });
      onward.once('response', (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(answer);
      });
      onward.once('error', () => answer.destroy());
      answer.once('close', () => onward.destroy());
      asked.pipe(onward);
      return;
    }
    const file = path.startsWith('/assets/') ? path.replace(/[?#].*/, '') : '/index.html';
    answer.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    createReadStream(join(folder, file)).pipe(answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    folder,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function build(root: string, folder: string): Promise<void> {
  const vite = join(root, 'web/node_modules/vite/bin/vite.js');
  await access(vite).catch((cause: unknown) => {
    throw new Error('The packages of the dashboard are not there. Run npm install --no-save in web/.', {
      cause,
    });
  });
  const child = spawn(
    process.execPath,
    [vite, 'build', join(root, 'web/bare'), '--outDir', folder, '--emptyOutDir'],
    {
      cwd: join(root, 'web'),
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The bare page could not be built: exit code ${String(code)}.`);
}
