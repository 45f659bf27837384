/** Parts of a tar archive (POSIX ustar). */

const blockBytes = 512;

/** A size beyond 8 GiB is in GNU's base-256 form. `mode`: as of chmod. */
export function tarHeader(
  name: string,
  bytes: number,
  { isFolder = false, mode = isFolder ? 0o755 : 0o644 }: { isFolder?: boolean; mode?: number } = {},
): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0, 100, 'latin1');
  header.write(octal(mode, 8), 100, 'latin1');
  header.write(octal(0, 8), 108, 'latin1');
  header.write(octal(0, 8), 116, 'latin1');
  if (bytes < 8 ** 11) header.write(octal(bytes, 12), 124, 'latin1');
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  header.write(octal(0, 12), 136, 'latin1');
  header.write(`        ${isFolder ? 5 : 0}`, 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** Fills the last block of a file of this length. */
export const tarPadding = (bytes: number): Buffer =>
  Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);

export const tarEnd = (): Buffer => Buffer.alloc(2 * blockBytes);
