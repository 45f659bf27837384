/** Names and positions in the write-ahead log of PostgreSQL. Pure. */
import { AppError } from '../../../domain/errors.ts';
import { ageEnding } from '../../../domain/secrets/age.ts';

/** What the service that streams the log answers when it is looked at. */
export interface WalLook {
  /** Clock of the database server, before the log was switched (ms). */
  at: number;
  /** Transactions at that moment; the same text means that nothing was committed since. */
  snapshot: string;
  systemId: string;
  segmentBytes: number;
  timeline: number;
  /** Everything committed before `at` stands before this position; undefined: nothing was written since. */
  position: number | undefined;
  /** State of the replication slot in PostgreSQL's words. */
  slot: string;
  /** Numbers of the complete segments of this timeline that wait to be stored, ascending. */
  segments: number[];
}

const segmentName = /^[0-9A-F]{24}$/;
const high = 2 ** 32;
const fields = 7;

/** Byte position of a log sequence number such as 0/3000028. */
export function parsePosition(text: string): number {
  const [, upper = '', lower = ''] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? [];
  if (lower === '')
    throw new AppError('PRECONDITION_FAILED', `${text.slice(0, 40)} is not a position of a log.`);
  return Number.parseInt(upper, 16) * high + Number.parseInt(lower, 16);
}

/** File name of a segment, as PostgreSQL makes it. */
export function segmentFile(timeline: number, segment: number, segmentBytes: number): string {
  const perLog = high / segmentBytes;
  return [timeline, Math.floor(segment / perLog), segment % perLog]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');
}

/** Throws PRECONDITION_FAILED with its words when the answer is another one. */
export function parseLook(output: string): WalLook {
  const lines = output.split('\n').map((line) => line.trim());
  const row =
    lines
      .find((line) => line.startsWith('look|'))
      ?.split('|')
      .slice(1) ?? [];
  const [at = '', snapshot = '', systemId = '', bytes = '', timeline = '', position = '', slot = ''] = row;
  const segmentBytes = Number(bytes);
  if (row.length !== fields || !Number.isFinite(Number(at)) || !Number.isInteger(Math.log2(segmentBytes)))
    throw new AppError(
      'PRECONDITION_FAILED',
      `The log of the database could not be read: ${output.trim().slice(-300) || 'there was no answer'}`,
    );
  const known = Number.parseInt(timeline, 16);
  return {
    at: Math.round(Number(at) * 1000),
    snapshot,
    systemId,
    segmentBytes,
    timeline: known,
    position: position === '' ? undefined : parsePosition(position),
    slot,
    segments: lines
      .filter((line) => segmentName.test(line) && Number.parseInt(line.slice(0, 8), 16) === known)
      .map((line) => numberOf(line, segmentBytes))
      .toSorted((a, b) => a - b),
  };
}

function numberOf(file: string, segmentBytes: number): number {
  const [log, part] = [file.slice(8, 16), file.slice(16)].map((text) => Number.parseInt(text, 16));
  return (log ?? 0) * (high / segmentBytes) + (part ?? 0);
}

/** Where a base backup begins, in the words of pg_basebackup; undefined for any other line. */
export function parseStart(line: string): { position: number; timeline: number } | undefined {
  const [, position, timeline] = /log start point: (\S+) on timeline (\d+)/.exec(line) ?? [];
  if (position === undefined) return undefined;
  return { position: parsePosition(position), timeline: Number(timeline) };
}

/** Where a segment of a span is stored. */
export function segmentPath(
  { folder, timeline, segmentBytes, recipients }: SegmentPlace,
  segment: number,
): string {
  const ending = recipients.length === 0 ? '.gz' : `.gz${ageEnding}`;
  return `${folder}/${segmentFile(timeline, segment, segmentBytes)}${ending}`;
}

interface SegmentPlace {
  folder: string;
  timeline: number;
  segmentBytes: number;
  recipients: readonly string[];
}
