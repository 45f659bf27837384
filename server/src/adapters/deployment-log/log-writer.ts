/** Appends lines to a log: in order, in the background, within the limits of the disk, memory and the log. */
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { sentenceOf } from '../../domain/errors.ts';
import type { LogWriter } from '../../ports/deployment-log.ts';
import { cutText, longestLine } from '../files/lines.ts';
import { capacityOf, keptParts, partsOf, type LogPart, type LogPaths } from './log-parts.ts';

/** Bytes that may wait for the disk. */
const waitingLimit = 16 * 1024 * 1024;
const pieceBytes = 64 * 1024;
const newline = 0x0a;

export interface LogWriterOptions {
  paths: LogPaths;
  /** What stands before a line's text. */
  prefix(): string;
  redact(text: string): string;
  /** Bytes of the whole log. */
  limit(): Promise<number>;
  onWritten(): void;
}

interface Target extends LogPart {
  file: FileHandle;
  size: number;
  limit: number;
}

export function openWriter(options: LogWriterOptions): LogWriter {
  const queue = createQueue(options.prefix);
  let target: Target | undefined;
  let unwritten: Missing = { lines: 0, reason: '' };
  let writing: Promise<void> | undefined;

  async function write(lines: readonly Buffer[]): Promise<void> {
    const missing = unwritten.lines > 0 ? [lineOf(options.prefix(), missingText(unwritten))] : [];
    try {
      for (const piece of [...missing, Buffer.concat(lines)]) {
        target = await roomFor(options, target, piece.length);
        await append(target, piece);
      }
      unwritten = { lines: 0, reason: '' };
      options.onWritten();
    } catch (error) {
      // A full disk must not end the deployment itself; its own record tells its outcome.
      unwritten = { lines: unwritten.lines + lines.length, reason: sentenceOf(error) };
      await target?.file.close().catch(() => undefined);
      target = undefined;
    }
  }

  async function writeAll(): Promise<void> {
    for (let lines = queue.take(); lines.length > 0; lines = queue.take()) await write(lines);
  }

  function start(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (!queue.isEmpty()) void start();
    });
    return writing;
  }

  return {
    line(text) {
      for (const part of options.redact(text).split(/\r?\n/)) queue.add(part);
      void start();
    },
    async close() {
      queue.end();
      do await start();
      while (!queue.isEmpty());
      if (unwritten.lines > 0) await write([]);
      await target?.file.close();
      target = undefined;
      options.onWritten();
    },
  };
}

interface Missing {
  lines: number;
  reason: string;
}

/** Lines that wait for the disk. */
function createQueue(prefix: () => string) {
  const waiting: Buffer[] = [];
  let bytes = 0;
  let dropped = 0;

  function push(line: Buffer): void {
    waiting.push(line);
    bytes += line.length;
  }
  function end(): void {
    if (dropped > 0)
      push(
        lineOf(
          prefix(),
          missingText({ lines: dropped, reason: 'they arrived faster than the disk could take them' }),
        ),
      );
    dropped = 0;
  }

  return {
    /** Drops the line when too much waits already. */
    add(text: string): void {
      const line = lineOf(prefix(), text);
      if (bytes + line.length > waitingLimit) {
        dropped += 1;
        return;
      }
      end();
      push(line);
    },
    /** Says at the end of the queue what was dropped there. */
    end,
    isEmpty: () => waiting.length === 0,
    /** As many lines as make a piece, at least one of those that there are. */
    take(): Buffer[] {
      let size = 0;
      const past = waiting.findIndex((line) => (size += line.length) > pieceBytes);
      const lines = waiting.splice(0, past === -1 ? waiting.length : Math.max(1, past));
      bytes -= lines.reduce((sum, line) => sum + line.length, 0);
      return lines;
    },
  };
}

function lineOf(prefix: string, text: string): Buffer {
  const bytes = Buffer.from(text);
  const most = longestLine - 1024;
  return Buffer.from(`${prefix}${bytes.length > most ? cutText(bytes, bytes.length, most) : text}\n`);
}

function missingText({ lines, reason }: Missing): string {
  return `[${lines.toLocaleString('en')} line${lines === 1 ? ' is' : 's are'} missing here: ${reason}]`;
}

/** The file that the next bytes go to: the present one, or a new one when that is full. */
async function roomFor(
  { paths, limit }: LogWriterOptions,
  present: Target | undefined,
  bytes: number,
): Promise<Target> {
  const target = present ?? (await openLast(paths, await limit()));
  if (target.size === 0 || target.size + bytes <= capacityOf(target, target.limit)) return target;
  await target.file.close();
  const start = target.start + target.size;
  await mkdir(paths.parts, { recursive: true, mode: 0o700 });
  const next = await openTarget({ path: join(paths.parts, String(start)), start }, await limit());
  const [, ...later] = await partsOf(paths);
  for (const { path } of later.slice(0, -keptParts)) await rm(path, { force: true });
  return next;
}

async function openLast(paths: LogPaths, limit: number): Promise<Target> {
  const parts = await partsOf(paths);
  const target = await openTarget(parts.at(-1) ?? parts[0], limit);
  // A Berth that was killed may have left half a line.
  if (target.size > 0 && (await lastByte(target)) !== newline) await append(target, Buffer.from('\n'));
  return target;
}

async function openTarget(part: LogPart, limit: number): Promise<Target> {
  const file = await open(part.path, 'a+', 0o600);
  return { ...part, file, size: (await file.stat()).size, limit };
}

async function lastByte({ file, size }: Target): Promise<number | undefined> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}

/** All of it or, when the disk is full, nothing. */
async function append(target: Target, bytes: Buffer): Promise<void> {
  try {
    await target.file.appendFile(bytes);
    target.size += bytes.length;
  } catch (error) {
    await target.file.truncate(target.size).catch(() => undefined);
    throw error;
  }
}
