/** The 512-byte header of a tar entry (POSIX pax, "ustar Interchange Format"; GNU's variants). */
import { damagedArchive } from './archive-entry.ts';

export interface TarHeader {
  name: Buffer;
  size: number;
  mode: number;
  /**
   * One character: `0` a file, `5` a folder, `x` and `g` extended headers, `L` and `K` GNU's long names,
   * others links and devices.
   */
  type: string;
}

/** Throws BAD_REQUEST when the block is no header. */
export function parseTarHeader(block: Buffer): TarHeader {
  if (!hasValidSum(block)) throw damagedArchive('it is not a tar archive, or it is damaged');
  const isPosix = block.subarray(257, 263).toString('latin1') === 'ustar\0';
  const name = text(block, 0, 100);
  const prefix = isPosix ? text(block, 345, 155) : Buffer.alloc(0);
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name,
    size: number(block, 124, 12),
    mode: number(block, 100, 8),
    type: block[156] === 0 ? '0' : String.fromCharCode(block[156] ?? 0),
  };
}

export function isTarHeader(block: Buffer): boolean {
  return block.length >= 512 && hasValidSum(block.subarray(0, 512));
}

/** The records of an extended header, `<length> <key>=<value>\n`; throws BAD_REQUEST when they are none. */
export function parsePaxRecords(data: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length =
      space === -1 || space - at > 10 ? Number.NaN : Number(data.subarray(at, space).toString('latin1'));
    const end = at + length;
    const equals = data.indexOf(0x3d, space);
    if (
      !Number.isInteger(length) ||
      end > data.length ||
      data[end - 1] !== 0x0a ||
      equals === -1 ||
      equals >= end
    )
      throw damagedArchive('one of its extended headers is damaged');
    records.set(data.subarray(space + 1, equals).toString('utf8'), data.subarray(equals + 1, end - 1));
    at = end;
  }
  return records;
}

function hasValidSum(block: Buffer): boolean {
  let sum = 0;
  for (let index = 0; index < 512; index += 1)
    sum += index >= 148 && index < 156 ? 0x20 : (block[index] ?? 0);
  const stated = block.subarray(148, 156).toString('latin1').replace(/\0.*$/s, '').trim();
  return /^[0-7]{1,7}$/.test(stated) && Number.parseInt(stated, 8) === sum;
}

function text(block: Buffer, at: number, length: number): Buffer {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return end === -1 ? field : field.subarray(0, end);
}

/** Octal digits, or GNU's binary form, whose first bit is set. */
function number(block: Buffer, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] ?? 0) & 0x7f);
    if (!Number.isSafeInteger(value)) throw damagedArchive('it states an impossible size');
    return value;
  }
  const digits = field.toString('latin1').replace(/\0.*$/s, '').trim();
  if (!/^[0-7]*$/.test(digits)) throw damagedArchive('one of its headers is damaged');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}
