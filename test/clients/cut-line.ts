/** A line to Berth that breaks at the n-th change, before or after it: as if the caller was killed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface CutLine extends AsyncDisposable {
  url: string;
  /** Changes that were made through it. */
  changes(): number;
}

export interface Cut {
  /** So many changes get through. */
  after: number;
  /** The one at which it breaks is made, and its answer lost. */
  isMade: boolean;
}

export async function startCutLine(target: string, cut: Cut): Promise<CutLine> {
  let changes = 0;
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isChange = request.method === 'POST';
    if (isChange) changes += 1;
    const isCut = changes > cut.after;
    if (isCut && !(isChange && changes === cut.after + 1 && cut.isMade)) {
      request.socket.destroy();
      return;
    }
    const parts: unknown[] = await request.toArray();
    const body = Buffer.concat(parts.filter((part) => part instanceof Uint8Array));
    const answer = await fetch(`${target}${request.url ?? ''}`, {
      method: request.method ?? 'GET',
      headers: {
        'x-api-key': String(request.headers['x-api-key']),
        accept: 'application/json',
        ...(isChange ? { 'content-type': 'application/json' } : {}),
      },
      ...(isChange ? { body } : {}),
    });
    const text = await answer.text();
    if (isCut) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => void forward(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    changes: () => changes,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
