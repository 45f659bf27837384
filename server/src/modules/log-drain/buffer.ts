/** What waits for one address: in order, bounded; what does not fit is counted. Pure. */
import type { DrainedLine } from './forms.ts';

export interface DrainBuffer {
  offer(line: DrainedLine): void;
  /** The next lines to send, which stay until they are taken. */
  batch(): readonly DrainedLine[];
  /** Those of the last batch are over. */
  taken(count: number): void;
  /** How many were dropped since this was asked last. */
  dropped(): number;
  clear(): void;
}

export const mostLines = 10_000;
export const mostBytes = 8 * 1024 * 1024;
const batchLines = 1000;
const batchBytes = 1024 * 1024;

export function createDrainBuffer(): DrainBuffer {
  let lines: DrainedLine[] = [];
  let bytes = 0;
  let dropped = 0;
  return {
    offer(line) {
      const size = sizeOf(line);
      if (lines.length >= mostLines || bytes + size > mostBytes) {
        dropped += 1;
        return;
      }
      lines.push(line);
      bytes += size;
    },
    batch() {
      let [count, size] = [0, 0];
      for (const line of lines) {
        size += sizeOf(line);
        if (count > 0 && (count >= batchLines || size > batchBytes)) break;
        count += 1;
      }
      return lines.slice(0, count);
    },
    taken(count) {
      bytes -= lines.slice(0, count).reduce((sum, line) => sum + sizeOf(line), 0);
      lines = lines.slice(count);
    },
    dropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
    clear() {
      lines = [];
      bytes = 0;
    },
  };
}

/** With about what an object takes besides. */
const sizeOf = ({ text }: DrainedLine): number => text.length * 2 + 200;
