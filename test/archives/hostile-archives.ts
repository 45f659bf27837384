/** Archives for tests, byte by byte, since no library makes what must be refused. */
import { deflateRawSync, crc32 } from 'node:zlib';

export interface TarPart {
  name: string | Buffer;
  type?: string;
  content?: Buffer | string;
  mode?: number;
  link?: string;
  /** The size that the header states, where it is not the content's. */
  size?: number;
  magic?: string;
  prefix?: string;
}

/** A tar archive of these parts in this order, with its two closing blocks. */
export function tarOf(parts: readonly TarPart[], options: { closing?: boolean } = {}): Buffer {
  const blocks = parts.flatMap((part) => {
    const content = Buffer.from(part.content ?? '');
    return [tarHeader(part, content.length), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(options.closing === false ? 0 : 1024)]);
}

export function tarHeader(part: TarPart, length: number): Buffer {
  const block = Buffer.alloc(512);
  Buffer.from(part.name).copy(block, 0, 0, 100);
  block.write(`${(part.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100);
  const size = part.size ?? length;
  if (size > 0o77777777777) {
    block.writeUInt8(0x80, 124);
    block.writeBigUInt64BE(BigInt(size), 128);
  } else block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(part.type ?? '0', 156);
  block.write(part.link ?? '', 157);
  block.write(part.magic ?? 'ustar\x0000', 257, 'latin1');
  block.write(part.prefix ?? '', 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** An extended header with these records. */
export function paxPart(records: Record<string, string>, type = 'x'): TarPart {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + String(rest).length;
    while (rest + String(length).length !== length) length = rest + String(length).length;
    return `${length} ${key}=${value}\n`;
  });
  return { name: 'PaxHeader', type, content: lines.join('') };
}

export interface ZipPart {
  name: string | Buffer;
  content?: Buffer | string;
  /** Unix mode with its kind; made on Unix then. */
  mode?: number;
  flags?: number;
  method?: number;
  /** What the list states, where it is not so. */
  size?: number;
  sum?: number;
}

/** A zip archive of these parts, deflated unless told. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const content = Buffer.from(part.content ?? '');
    const method = part.method ?? 8;
    const data = method === 8 ? deflateRawSync(content) : content;
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(part.flags ?? 0x800, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(part.sum ?? crc32(content), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(part.size ?? content.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((part.mode ?? 0) << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    list.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02'),
        Buffer.from([20, part.mode === undefined ? 0 : 3]),
        shared,
        tail,
        name,
      ]),
    );
    bodies.push(body);
    offset += body.length;
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, listed, end]);
}
