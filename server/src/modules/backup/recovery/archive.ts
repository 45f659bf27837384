/** Files as a tar archive (POSIX ustar). */

export interface ArchivedFile {
  name: string;
  bytes: number;
  content: AsyncIterable<Uint8Array>;
}

const block = 512;

/** Fails when a file has another length than it is said to have. */
export async function* archiveOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, bytes, content } of files) {
    yield header(name, bytes);
    let sent = 0;
    for await (const chunk of content) {
      sent += chunk.length;
      if (sent > bytes) break;
      yield chunk;
    }
    if (sent !== bytes) throw new Error(`${name} has ${sent} bytes and more, not ${bytes}.`);
    yield Buffer.alloc((block - (bytes % block)) % block);
  }
  yield Buffer.alloc(2 * block);
}

function header(name: string, bytes: number): Buffer {
  const made = Buffer.alloc(block);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  made.write(name, 0, 100);
  made.write(octal(0o600, 8), 100);
  made.write(octal(0, 8), 108);
  made.write(octal(0, 8), 116);
  made.write(octal(bytes, 12), 124);
  made.write(octal(0, 12), 136);
  made.write('        0', 148);
  made.write('ustar\x0000', 257);
  const sum = made.reduce((total, byte) => total + byte, 0);
  made.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return made;
}
