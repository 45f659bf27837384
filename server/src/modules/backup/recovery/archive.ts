/** Files as a tar archive. */
import { tarEnd, tarHeader, tarPadding } from '../../../domain/tar.ts';

export interface ArchivedFile {
  name: string;
  bytes: number;
  content: AsyncIterable<Uint8Array>;
}

/** Fails when a file has another length than it is said to have. */
export async function* archiveOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, bytes, content } of files) {
    yield tarHeader(name, bytes, { mode: 0o600 });
    let sent = 0;
    for await (const chunk of content) {
      sent += chunk.length;
      if (sent > bytes) break;
      yield chunk;
    }
    if (sent !== bytes) throw new Error(`${name} has ${sent} bytes and more, not ${bytes}.`);
    yield tarPadding(bytes);
  }
  yield tarEnd();
}
