/** The bare React page of web/bare, built and served beside a Berth, whose interface it asks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { passOn, serveBeside, type BesideBerth } from '../load/beside-berth.ts';

export interface BarePage extends BesideBerth {
  /** The folder that it was built into. */
  folder: string;
}

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** `logsUrl` gives the streams of logs in the place of Berth. */
export async function serveBarePage(
  root: string,
  folder: string,
  { berthUrl, logsUrl }: { berthUrl: string; logsUrl: string },
): Promise<BarePage> {
  await build(root, folder);
  const served = await serveBeside((asked, answer) => {
    const path = asked.url ?? '/';
    if (path.startsWith('/api/'))
      return passOn(asked, answer, path.startsWith('/api/deployment.logs') ? logsUrl : berthUrl);
    const file = path.startsWith('/assets/') ? path.replace(/[?#].*/, '') : '/index.html';
    answer.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    createReadStream(join(folder, file)).pipe(answer);
  });
  return { ...served, folder };
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
