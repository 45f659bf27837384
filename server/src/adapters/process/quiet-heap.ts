/** Gives back the memory that a load has left in V8's heap, once Berth has little to do (ADR 43). */
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { reducingFlags } from '../../domain/resources/node-flags.ts';

export interface HeapState {
  /** Bytes that V8 has taken from the machine for its heap. */
  takenBytes(): number;
  /** How much of the time since the last question the event loop was busy, 0–1. */
  busyShare(): number;
  setFlag(flag: string): void;
}

/** More often, V8 would not have come round to it: it looks every 8 s. */
const everyMs = 10_000;
const quietShare = 0.25;
/** What a heap may grow by in quiet times, too. */
const worthBytes = 8 * 1024 * 1024;

/** Looks every ten seconds, as long as the process runs. */
export function keepHeapSmall(): void {
  setInterval(createQuietHeap(thisProcess()).look, everyMs).unref();
}

/**
 * V8 has a reducer of its own for this, which waits until hardly anything is allocated: with Berth's loops
 * that is never. While it is told to favour size it does not wait.
 */
export function createQuietHeap({ takenBytes, busyShare, setFlag }: HeapState): { look(): void } {
  let isReducing = false;
  let settledBytes = takenBytes();
  return {
    look() {
      const busy = busyShare();
      const taken = takenBytes();
      if (isReducing) {
        isReducing = false;
        setFlag(reducingFlags.off);
        // What is left now lives, and is not worth another look until there is more; unless a load runs.
        if (busy < quietShare || taken < settledBytes) settledBytes = taken;
      } else if (taken < settledBytes) {
        settledBytes = taken;
      } else if (busy < quietShare && taken >= settledBytes + worthBytes) {
        isReducing = true;
        setFlag(reducingFlags.on);
      }
    },
  };
}

function thisProcess(): HeapState {
  let last = performance.eventLoopUtilization();
  return {
    takenBytes: () => getHeapStatistics().total_heap_size,
    setFlag: setFlagsFromString,
    busyShare() {
      const present = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(present, last);
      last = present;
      return utilization;
    },
  };
}
