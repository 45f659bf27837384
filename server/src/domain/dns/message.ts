/** Messages of the domain name system (RFC 1035), updates among them (RFC 2136). Pure. */

export const recordTypes = { SOA: 6, TXT: 16, TSIG: 250 } as const;
export const recordClasses = { IN: 1, NONE: 254, ANY: 255 } as const;

const opcodes = { query: 0, update: 5 } as const;

/** A record whose data stands in wire form. */
export interface WireRecord {
  name: string;
  type: number;
  class: number;
  /** Seconds. */
  ttl: number;
  data: Buffer;
}

export interface DnsAnswer {
  id: number;
  code: number;
  /** The server is an authority for the name (RFC 1035, 4.1.1). */
  isAuthoritative: boolean;
  answers: WireRecord[];
  /** Offset of the last record of the additional section, where TSIG stands; -1 without one. */
  lastAt: number;
  last: WireRecord | undefined;
}

/** Asks for records of a name; recursion is not desired, since the authority itself is asked. */
export function queryMessage(id: number, name: string, type: number): Buffer {
  return Buffer.concat([header(id, opcodes.query, [1, 0, 0, 0]), questionOf(name, type)]);
}

/** Changes a zone: adds or deletes single records (RFC 2136, 2.5.1 and 2.5.4). */
export function updateMessage(id: number, zone: string, changes: readonly WireRecord[]): Buffer {
  return Buffer.concat([
    header(id, opcodes.update, [1, 0, changes.length, 0]),
    questionOf(zone, recordTypes.SOA),
    ...changes.map(encodeRecord),
  ]);
}

/** A TXT record that is added, or removed by its value and no other one. */
export function txtChange(name: string, value: string, change: { add: boolean; ttl: number }): WireRecord {
  const text = Buffer.from(value);
  return {
    name,
    type: recordTypes.TXT,
    class: change.add ? recordClasses.IN : recordClasses.NONE,
    ttl: change.add ? change.ttl : 0,
    data: Buffer.concat([Buffer.from([text.length]), text]),
  };
}

/** Throws for what is not a DNS message. */
export function decodeAnswer(message: Buffer): DnsAnswer {
  const [questions, answers, authority, additional] = [4, 6, 8, 10].map((at) => message.readUInt16BE(at));
  let at = headerBytes;
  for (let count = questions ?? 0; count > 0; count -= 1) at = decodeName(message, at).end + 4;
  const records: { record: WireRecord; at: number }[] = [];
  const total = (answers ?? 0) + (authority ?? 0) + (additional ?? 0);
  for (let count = total; count > 0; count -= 1) {
    const { record, end } = decodeRecord(message, at);
    records.push({ record, at });
    at = end;
  }
  const last = (additional ?? 0) > 0 ? records.at(-1) : undefined;
  const flags = message.readUInt16BE(2);
  return {
    id: message.readUInt16BE(0),
    code: flags & 15,
    isAuthoritative: (flags & 0x0400) !== 0,
    answers: records.slice(0, answers).map(({ record }) => record),
    lastAt: last?.at ?? -1,
    last: last?.record,
  };
}

/** A name without compression, in lower case as signatures need it (RFC 4034, 6.2). */
export function encodeName(name: string): Buffer {
  const labels = name
    .toLowerCase()
    .replace(/\.$/, '')
    .split('.')
    .filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);
}

export function encodeRecord({ name, type, class: ofClass, ttl, data }: WireRecord): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(ofClass, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

/** A name at an offset, and the offset after it; follows compression (RFC 1035, 4.1.4). */
export function decodeName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let end = -1;
  let at = start;
  for (let jumps = 0; jumps <= mostJumps; ) {
    const length = message.readUInt8(at);
    if (length >= 0xc0) {
      if (end < 0) end = at + 2;
      at = message.readUInt16BE(at) & 0x3fff;
      jumps += 1;
    } else if (length === 0) {
      return { name: labels.join('.').toLowerCase(), end: end < 0 ? at + 1 : end };
    } else {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
  throw new RangeError('A name of a DNS message refers to itself.');
}

const headerBytes = 12;
const mostJumps = 64;

function header(id: number, opcode: number, counts: readonly [number, number, number, number]): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(opcode << 11, 2);
  for (const [index, count] of counts.entries()) bytes.writeUInt16BE(count, 4 + index * 2);
  return bytes;
}

function questionOf(name: string, type: number): Buffer {
  const rest = Buffer.alloc(4);
  rest.writeUInt16BE(type, 0);
  rest.writeUInt16BE(recordClasses.IN, 2);
  return Buffer.concat([encodeName(name), rest]);
}

function decodeRecord(message: Buffer, start: number): { record: WireRecord; end: number } {
  const { name, end: at } = decodeName(message, start);
  const length = message.readUInt16BE(at + 8);
  const from = at + 10;
  if (from + length > message.length) throw new RangeError('A record of a DNS message is cut off.');
  return {
    record: {
      name,
      type: message.readUInt16BE(at),
      class: message.readUInt16BE(at + 2),
      ttl: message.readUInt32BE(at + 4),
      data: message.subarray(from, from + length),
    },
    end: from + length,
  };
}
