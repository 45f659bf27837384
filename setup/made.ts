/**
 * Record of what `bin/up` added to the machine outside its data folder, so that `bin/down --purge` can take
 * it away again, and leave alone what was there before.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Layout } from './layout.ts';
import { readRecord, writeRecord } from './record.ts';

const schema = z.object({
  /** Debian packages that were missing. */
  packages: z.array(z.string()).default([]),
  /** References of images that were pulled. */
  images: z.array(z.string()).default([]),
  /** Files outside the data folder. */
  files: z.array(z.string()).default([]),
  /** Whether the engine's swarm was created. */
  swarm: z.boolean().default(false),
});

export type Made = z.infer<typeof schema>;

const pathOf = ({ data }: Pick<Layout, 'data'>): string => join(data, 'made.json');

/** Empty for an installation older than the record. */
export function readMade(layout: Pick<Layout, 'data'>): Made {
  return readRecord(pathOf(layout), schema) ?? schema.parse({});
}

/** Adds to the record; what it holds already stays. */
export function recordMade(layout: Pick<Layout, 'data'>, made: Partial<Made>): void {
  const before = readMade(layout);
  const joined = (one: readonly string[], other: readonly string[] = []): string[] => [
    ...new Set([...one, ...other]),
  ];
  writeRecord(pathOf(layout), {
    packages: joined(before.packages, made.packages),
    images: joined(before.images, made.images),
    files: joined(before.files, made.files),
    swarm: before.swarm || (made.swarm ?? false),
  } satisfies Made);
}
