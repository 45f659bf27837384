/** Whether a program runs without anything around it. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

const elfMagic = 0x7f454c46;
const interpreterSegment = 3;

/**
 * True for a 64-bit little-endian ELF program without an interpreter segment (PT_INTERP), that is, a static
 * one (elf(5)). The probe is mounted into images that may hold no library at all, so a dynamic busybox would
 * not start there.
 */
export function isStaticBinary(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(64);
    if (
      readSync(file, header, 0, 64, 0) < 64 ||
      header.readUInt32BE(0) !== elfMagic ||
      header[4] !== 2 ||
      header[5] !== 1
    )
      return false;
    const [offset, size, count] = [
      Number(header.readBigUInt64LE(32)),
      header.readUInt16LE(54),
      header.readUInt16LE(56),
    ];
    const segments = Buffer.alloc(size * count);
    readSync(file, segments, 0, segments.length, offset);
    for (let index = 0; index < count; index += 1) {
      if (segments.readUInt32LE(index * size) === interpreterSegment) return false;
    }
    return true;
  } finally {
    closeSync(file);
  }
}
