/** Signatures of DNS messages with a shared key (TSIG, RFC 8945). Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../secrets/secret.ts';
import {
  decodeName,
  encodeName,
  encodeRecord,
  recordClasses,
  recordTypes,
  type DnsAnswer,
  type WireRecord,
} from './message.ts';

/** Algorithms by the name that key files have for them. */
export const tsigAlgorithms = [
  'hmac-sha256',
  'hmac-sha512',
  'hmac-sha384',
  'hmac-sha224',
  'hmac-sha1',
] as const;
export type TsigAlgorithm = (typeof tsigAlgorithms)[number];

export interface TsigKey {
  name: string;
  algorithm: TsigAlgorithm;
  /** base64, as key files have it. */
  secret: Secret;
}

/** Errors that stand in a TSIG record (RFC 8945, 3). */
export const tsigErrors = { badSignature: 16, badKey: 17, badTime: 18 } as const;

export interface SignedMessage {
  message: Buffer;
  /** Signature of the request, which the one of the answer covers. */
  mac: Buffer;
}

/** `seconds`: of the epoch. */
export function signMessage(message: Buffer, key: TsigKey, seconds: number): SignedMessage {
  const times = { seconds, fudge: fudgeSeconds, error: 0, other: Buffer.alloc(0) };
  const mac = macOf(key, [message, variablesOf(key, times)]);
  const record = encodeRecord({
    name: key.name,
    type: recordTypes.TSIG,
    class: recordClasses.ANY,
    ttl: 0,
    data: Buffer.concat([
      encodeName(key.algorithm),
      timeOf(times),
      uint16(mac.length),
      mac,
      message.subarray(0, 2),
      uint16(0),
      uint16(0),
    ]),
  });
  return { message: Buffer.concat([withMoreRecords(message, 1), record]), mac };
}

/** The error that a TSIG record carries; undefined without such a record, 0 when it has none. */
export function tsigErrorOf({ last }: DnsAnswer): number | undefined {
  return last?.type === recordTypes.TSIG ? readTsig(last).error : undefined;
}

/** Whether the answer is signed with the key and belongs to the request. */
export function isSignedBy(
  message: Buffer,
  { last, lastAt }: DnsAnswer,
  { key, mac }: { key: TsigKey; mac: Buffer },
): boolean {
  if (last?.type !== recordTypes.TSIG || last.name !== key.name.toLowerCase().replace(/\.$/, ''))
    return false;
  const tsig = readTsig(last);
  const bare = withMoreRecords(message.subarray(0, lastAt), -1);
  tsig.originalId.copy(bare, 0);
  const expected = macOf(key, [uint16(mac.length), mac, bare, variablesOf(key, tsig)]);
  return expected.length === tsig.mac.length && timingSafeEqual(expected, tsig.mac);
}

const fudgeSeconds = 300;

interface TsigTimes {
  seconds: number;
  fudge: number;
  error: number;
  other: Buffer;
}

function readTsig({ data }: WireRecord): TsigTimes & { mac: Buffer; originalId: Buffer } {
  const { end } = decodeName(data, 0);
  const macLength = data.readUInt16BE(end + 8);
  const after = end + 10 + macLength;
  return {
    seconds: data.readUIntBE(end, 6),
    fudge: data.readUInt16BE(end + 6),
    mac: data.subarray(end + 10, after),
    originalId: data.subarray(after, after + 2),
    error: data.readUInt16BE(after + 2),
    other: data.subarray(after + 6, after + 6 + data.readUInt16BE(after + 4)),
  };
}

/** What the signature covers besides the message (RFC 8945, 4.3.3). */
function variablesOf({ name, algorithm }: TsigKey, times: TsigTimes): Buffer {
  return Buffer.concat([
    encodeName(name),
    uint16(recordClasses.ANY),
    Buffer.alloc(4),
    encodeName(algorithm),
    timeOf(times),
    uint16(times.error),
    uint16(times.other.length),
    times.other,
  ]);
}

function macOf({ algorithm, secret }: TsigKey, parts: readonly Buffer[]): Buffer {
  return createHmac(algorithm.slice('hmac-'.length), Buffer.from(secret.reveal(), 'base64'))
    .update(Buffer.concat(parts))
    .digest();
}

function timeOf({ seconds, fudge }: Pick<TsigTimes, 'seconds' | 'fudge'>): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUIntBE(seconds, 0, 6);
  bytes.writeUInt16BE(fudge, 6);
  return bytes;
}

/** The message with another count of additional records. */
function withMoreRecords(message: Buffer, more: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(copy.readUInt16BE(10) + more, 10);
  return copy;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value, 0);
  return bytes;
}
