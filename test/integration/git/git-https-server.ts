/**
 * A git server over https on 127.0.0.1: git's own http-backend behind basic authentication, with a
 * certificate made for it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

export interface GitHttpsServer extends AsyncDisposable {
  /** `https://localhost:<port>`. */
  origin: string;
  /** `localhost:<port>`. */
  host: string;
  caPath: string;
  /** Authorization headers seen, one for each request. */
  seen: (string | undefined)[];
}

/**
 * Repositories below `root/public` need no login; those below `root/private` need `user:password`; `redirect`
 * sends everything below /moved elsewhere, and what is below /away goes to metadata.test.
 */
export async function startGitHttpsServer(
  folder: string,
  root: string,
  login: { user: string; password: string },
  redirect?: string,
): Promise<GitHttpsServer> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
    ],
    { stdio: 'ignore' },
  );
  const seen: (string | undefined)[] = [];
  const expected = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (request, response) => {
      seen.push(request.headers.authorization);
      const path = request.url ?? '/';
      if (path.startsWith('/away'))
        response.writeHead(302, { location: `https://metadata.test${path.slice('/away'.length)}` }).end();
      else if (path.startsWith('/moved') && redirect !== undefined)
        response.writeHead(302, { location: redirect + path.slice('/moved'.length) }).end();
      else if (path.startsWith('/forbidden')) response.writeHead(403).end();
      else if (path.startsWith('/private') && request.headers.authorization !== expected)
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      else backend(root, request, response);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const host = `localhost:${address.port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `https://${host}`, host, caPath: certificate, seen, [Symbol.asyncDispose]: close };
}

/** The common gateway interface, RFC 3875, as far as git needs it. */
function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const child = spawn(
    'git',
    ['-c', 'safe.directory=*', '-c', 'uploadpack.allowFilter=true', 'http-backend'],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: decodeURIComponent(url.pathname).replace(/^\/old\//, '/public/'),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        // Below /old the server speaks the protocol's version 0, which gives no commits but the heads.
        GIT_PROTOCOL: url.pathname.startsWith('/old/') ? '' : String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  let head = Buffer.alloc(0);
  let started = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (started) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    started = true;
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(': ');
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => response.end());
}
