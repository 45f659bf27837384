/**
 * An image registry that waits at a gate before it takes a manifest, in front of a real one: `node
 * slow-registry.ts <port> <host:port of the real one> <gate>`. It listens on the loopback address, which
 * engines speak to without TLS.
 */
import { createServer, get, request } from 'node:http';

const [port = '', target = '', gate = ''] = process.argv.slice(2);
const [targetHost = '', targetPort = ''] = target.split(':');

createServer((asked, answer) => {
  const forward = (): void => {
    const call = request(
      { host: targetHost, port: targetPort, method: asked.method, path: asked.url, headers: asked.headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    call.once('error', () => answer.destroy());
    asked.pipe(call);
  };
  if (asked.method !== 'PUT' || !asked.url?.includes('/manifests/')) return forward();
  get(gate, (opened) => opened.resume().once('end', forward)).once('error', () => answer.destroy());
}).listen(Number(port), '127.0.0.1');
