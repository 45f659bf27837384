/**
 * The dashboard: files that `bin/up` built, below `dist/web`. Names that carry a hash never change; the page
 * itself is asked for anew each time, and is what every address outside /api and /docs shows.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { existsSync, readdirSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { AppError } from '../../domain/errors.ts';

/** Nothing runs or loads but what this address serves; text never becomes script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The page that a GitHub App is made from sends its manifest there. */
const githubPage = /^\/connect-github(\?|$)/;
const githubPolicy = policy.replace("form-action 'self'", "form-action 'self' https://github.com");

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': policy,
};

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** What a browser may take instead of the file, the smallest first. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** Nothing of the installation: whoever reaches the address sees it. */
const withoutDashboard = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth</title>
</head>
<body>
<h1>Berth</h1>
<p>Berth runs here, and its dashboard was not built: there is no folder <code>dist/web</code>.
<code>./bin/up</code> builds it. Everything else works without:</p>
<ul>
<li><a href="/docs">/docs</a>: every call, to read and to try</li>
<li><a href="/api/openapi.json">/api/openapi.json</a>: the same for programs</li>
<li><a href="/api/berth-file.schema.json">/api/berth-file.schema.json</a>: the schema of berth.yml</li>
<li><a href="/api/health">/api/health</a>: whether it is well, and its version</li>
<li><code>berth login --url</code> with this address: the command line;
<code>berth help</code> tells the rest</li>
</ul>
</body>
</html>
`;

interface Asset {
  path: string;
  type: string;
  /** Names of the encodings that stand beside it, compressed when it was built. */
  encoded: Map<string, string>;
}

export interface Dashboard {
  /** A file beside the page, or the page where a person's browser asked for one; undefined: neither. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined;
}

/**
 * Serves what lies in the folder when the first file is asked for: a start waits for none of it. Addresses
 * are looked up, never joined to a path.
 */
export function addDashboard(app: FastifyInstance, folder: string | undefined): Dashboard {
  let assets: ReadonlyMap<string, Asset> | undefined;
  const assetOf = (address: string): Asset | undefined => {
    assets ??= folder === undefined ? new Map() : readAssets(folder);
    return assets.get(address);
  };
  app.get('/', (request, reply) => sendPage(assetOf('/index.html'), request, reply));
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const asset = assetOf(`/assets/${request.params['*']}`);
    if (asset === undefined) return reply.callNotFound();
    return sendAsset(asset, 'public, max-age=31536000, immutable', request, reply);
  });
  return {
    answer(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
      const index = assetOf('/index.html');
      const asset = assetOf(request.url.replace(/\?.*$/, ''));
      if (asset !== undefined && asset !== index) return sendAsset(asset, 'no-cache', request, reply);
      return index !== undefined && wantsPage(request) ? sendPage(index, request, reply) : undefined;
    },
  };
}

/** A browser that goes to an address asks for text/html; programs and missing assets get the refusal. */
function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !/^\/(api|docs|assets)(\/|\?|$)/.test(url) && (headers.accept ?? '').includes('text/html');
}

async function sendPage(
  index: Asset | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const headers = {
    ...pageHeaders,
    ...(githubPage.test(request.url) ? { 'content-security-policy': githubPolicy } : {}),
  };
  return index === undefined
    ? reply.headers(headers).send(withoutDashboard)
    : sendFile(index, headers, request, reply);
}

function sendAsset(
  asset: Asset,
  kept: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // A worker keeps to the policy of its own file, not to that of the page.
  const headers = { 'content-type': asset.type, 'cache-control': kept, 'content-security-policy': policy };
  return sendFile(asset, headers, request, reply);
}

/**
 * Its length is that of the file that is open: a build may put another in its place at any moment. The
 * headers are the file's: a refusal in its place must not be kept as long.
 */
async function sendFile(
  asset: Asset,
  headers: Readonly<Record<string, string>>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = encodings.find(
    ({ name }) => asset.encoded.has(name) && new RegExp(`\\b${name}\\b`).test(accepted),
  );
  const beside = encoding && (await opened(asset.encoded.get(encoding.name)));
  const file = beside ?? (await opened(asset.path));
  if (file === undefined)
    throw new AppError('NOT_FOUND', 'This file of the dashboard has been rebuilt. Load the page again.');
  if (encoding !== undefined && beside !== undefined) void reply.header('content-encoding', encoding.name);
  return reply
    .headers({ ...headers, vary: 'accept-encoding', 'content-length': String(file.bytes) })
    .send(file.handle.createReadStream());
}

/** Undefined: there is no such file any more. */
async function opened(path: string | undefined): Promise<{ handle: FileHandle; bytes: number } | undefined> {
  if (path === undefined) return undefined;
  try {
    const handle = await open(path);
    return { handle, bytes: (await handle.stat()).size };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Address → file, of every kind of file that a dashboard is made of; none where no page was built. */
function readAssets(folder: string): Map<string, Asset> {
  const files = listFiles(folder);
  const assets = new Map<string, Asset>();
  if (!files.has('index.html')) return assets;
  for (const name of files) {
    const path = join(folder, name);
    const type = types[extname(name)];
    if (type === undefined) continue;
    const encoded = new Map(
      encodings.flatMap(({ name: encoding, ending }) =>
        files.has(`${name}${ending}`) ? [[encoding, `${path}${ending}`] as const] : [],
      ),
    );
    assets.set(`/${name}`, { path, type, encoded });
  }
  return assets;
}

/** Names below the folder; none where there is no folder. */
function listFiles(folder: string): Set<string> {
  if (!existsSync(folder)) return new Set();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name))),
  );
}
