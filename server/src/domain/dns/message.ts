/** Messages of the domain name system (RFC 1035), updates among them (RFC 2136). Pure. */

export const recordTypes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  TSIG: 250,
  ANY: 255,
} as const;
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

/** Changes a zone where what must be is so: adds or deletes single records (RFC 2136, 2.4 and 2.5). */
export function updateMessage(
  id: number,
  zone: string,
  changes: readonly WireRecord[],
  required: readonly WireRecord[] = [],
): Buffer {
  return Buffer.concat([
    header(id, opcodes.update, [1, required.length, changes.length, 0]),
    questionOf(zone, recordTypes.SOA),
    ...required.map(encodeRecord),
    ...changes.map(encodeRecord),
  ]);
}

/** Requires that a name has records of whatever type (RFC 2136, 2.4.4). */
export const nameInUse = (name: string): WireRecord => ({
  name,
  type: recordTypes.ANY,
  class: recordClasses.ANY,
  ttl: 0,
  data: Buffer.alloc(0),
});

/** A record that is added, or removed by its value and no other one. */
export function recordChange(
  { name, type, value }: { name: string; type: 'A' | 'AAAA' | 'CNAME' | 'TXT'; value: string },
  change: { add: boolean; ttl: number },
): WireRecord {
  return {
    name,
    type: recordTypes[type],
    class: change.add ? recordClasses.IN : recordClasses.NONE,
    ttl: change.add ? change.ttl : 0,
    data: dataOf[type](value),
  };
}

const dataOf = {
  A: (value: string): Buffer => Buffer.from(value.split('.').map(Number)),
  AAAA: (value: string): Buffer => {
    const [before = '', after] = value.split('::');
    const [left = [], right = []] = [before, after ?? ''].map((part) => part.split(':').filter(Boolean));
    const middle = Array.from({ length: 8 - left.length - right.length }, () => '0');
    const data = Buffer.alloc(16);
    for (const [index, group] of [...left, ...middle, ...right].entries())
      data.writeUInt16BE(Number.parseInt(group, 16), index * 2);
    return data;
  },
  CNAME: (value: string): Buffer => encodeName(value),
  TXT: (value: string): Buffer => {
    const text = Buffer.from(value);
    return Buffer.concat([Buffer.from([text.length]), text]);
  },
};

/** The data of a record as a zone file has it, a text without quotes; in hexadecimal for other types. */
export function textOfRecord({ type, data }: Pick<WireRecord, 'type' | 'data'>): string {
  if (type === recordTypes.A) return [...data].join('.');
  if (type === recordTypes.AAAA)
    return Array.from({ length: 8 }, (_each, index) => data.readUInt16BE(index * 2).toString(16)).join(':');
  if (type === recordTypes.CNAME || type === recordTypes.NS) return decodeName(data, 0).name;
  if (type !== recordTypes.TXT) return data.toString('hex');
  const texts: string[] = [];
  for (let at = 0; at < data.length; at += 1 + data.readUInt8(at))
    texts.push(data.toString('utf8', at + 1, at + 1 + data.readUInt8(at)));
  return texts.join('');
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

/** Types whose data is a name. */
const namedTypes: ReadonlySet<number> = new Set([recordTypes.CNAME, recordTypes.NS]);
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
  const type = message.readUInt16BE(at);
  const data = message.subarray(from, from + length);
  return {
    record: {
      name,
      type,
      class: message.readUInt16BE(at + 2),
      ttl: message.readUInt32BE(at + 4),
      // Names may refer to others of the message.
      data: namedTypes.has(type) ? encodeName(decodeName(message, from).name) : data,
    },
    end: from + length,
  };
}
