/** A server of Git LFS on 127.0.0.1 (docs/api/batch.md), for objects that tests hand it. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface LfsServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  origin: string;
  /** Gives the object's pointer. */
  put(content: string): string;
  /** What is served in place of an object. */
  damaged: Map<string, string>;
  /** Method, path and sign-in of each request. */
  seen: string[];
}

export const pointerOf = (content: string): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(content)}\n` +
  `size ${Buffer.byteLength(content)}\n`;

export const oidOf = (content: string): string => createHash('sha256').update(content).digest('hex');

/** `expected` is the sign-in that batches need. Objects are reached by a redirect, with another sign-in. */
export async function startLfsServer(expected: string): Promise<LfsServer> {
  const objects = new Map<string, string>();
  const damaged = new Map<string, string>();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const [, kind, oid = ''] = /^\/(moved|objects)\/([0-9a-f]{64})$/.exec(path) ?? [];
    const content = damaged.get(oid) ?? objects.get(oid);
    if (kind === 'moved' && request.headers.authorization === 'Bearer object')
      response.writeHead(302, { location: `/objects/${oid}` }).end();
    else if (kind === 'objects' && content !== undefined) response.end(content);
    else if (!path.endsWith('/info/lfs/objects/batch')) response.writeHead(404).end();
    else if (request.headers.authorization !== expected) response.writeHead(401).end();
    else {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(Buffer.from(piece));
      const asked: { objects: { oid: string; size: number }[] } = JSON.parse(
        Buffer.concat(pieces).toString(),
      );
      response.setHeader('content-type', 'application/vnd.git-lfs+json');
      const host = request.headers.host ?? '';
      response.end(JSON.stringify({ objects: asked.objects.map((object) => offer(object, objects, host)) }));
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    damaged,
    seen,
    put: (content) => {
      objects.set(oidOf(content), content);
      return pointerOf(content);
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function offer({ oid, size }: { oid: string; size: number }, has: Map<string, string>, host: string) {
  if (!has.has(oid)) return { oid, size, error: { code: 404, message: 'Object does not exist' } };
  const download = { href: `http://${host}/moved/${oid}`, header: { Authorization: 'Bearer object' } };
  return { oid, size, actions: { download } };
}
