import { AppError } from '../errors.ts';

/** Bytes of a disk: what is free, and what has to stay free (setting minFreeDisk). */
export interface DiskRoom {
  free: number;
  kept: number;
}

/** What is about to take room. */
export interface LargeThing {
  /** "the upload". */
  what: string;
  /** Bytes, as far as they are known. */
  needed: number;
  /** A sentence that says how to go on. */
  cure: string;
}

const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

function size(bytes: number): string {
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit] ?? ''}`;
}

/** PRECONDITION_FAILED with the numbers when it would leave less of the disk than has to stay free. */
export function requireFreeDisk({ free, kept }: DiskRoom, { what, needed, cure }: LargeThing): void {
  if (free >= needed + kept) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `Only ${size(free)} of disk are free; ${what} needs ${needed === 0 ? 'room' : size(needed)}, and ` +
      `${size(kept)} must stay free (setting minFreeDisk). ${cure}`,
  );
}
