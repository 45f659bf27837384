/**
 * The program of `s3-server.ts`: `node serve.ts ADDRESS PORT FOLDER BUCKET`. s3rver with the two checks that
 * it lacks: signatures of today, and a disk that is nearly full.
 */
import { statfs } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import S3rver from 's3rver';
import { s3Keys } from './s3-server.ts';
import { isSignedBy } from './signature.ts';

const [address = '', port = '', directory = '', bucket = ''] = process.argv.slice(2);
/** What a server keeps free beyond the request's own bytes. */
const reserve = 128 * 1024;

const store = new S3rver({
  directory,
  silent: true,
  allowMismatchedSignatures: false,
  configureBuckets: [{ name: bucket, configs: [] }],
});
await store.configureBuckets();
const handle = store.callback();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (
    request.headers.authorization?.includes(`Credential=${s3Keys.accessKey}/`) &&
    !isSignedBy(request, s3Keys)
  ) {
    return refuse(request, response, 403, 'SignatureDoesNotMatch');
  }
  if (request.method === 'PUT') {
    const { bavail, bsize } = await statfs(directory);
    if (bavail * bsize < Number(request.headers['content-length'] ?? 0) + reserve)
      return refuse(request, response, 507, 'XMinioStorageFull');
  }
  handle(request, response);
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, code: string): void {
  request.resume();
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
    );
}

createServer((request, response) => void answer(request, response)).listen(Number(port), address, () =>
  console.log('serving'),
);
