/**
 * Images of a registry, each by the digest that it had when this version of Berth first took it: a tag that
 * moves changes nothing on the machine until Berth itself is upgraded.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Layout } from '../layout.ts';
import { readRecord, writeRecord } from '../record.ts';
import type { Engine } from './client.ts';

const schema = z.record(
  z.string(),
  z.object({
    /** `repository@sha256:…`. */
    digest: z.string(),
    /** Version of Berth that took it. */
    version: z.string(),
  }),
);

/** Kept digests by the references that were asked for. */
export type KeptDigests = z.infer<typeof schema>;

const pathOf = ({ data }: Pick<Layout, 'data'>): string => join(data, 'image-digests.json');

/** Empty for an installation older than the record. */
export function readDigests(layout: Pick<Layout, 'data'>): KeptDigests {
  return readRecord(pathOf(layout), schema) ?? {};
}

export interface BringRequest {
  engine: Pick<Engine, 'hasImage' | 'imageDigest' | 'tagImage'>;
  layout: Pick<Layout, 'data'>;
  /** Of the Berth that is set up. */
  version: string;
  /** Pulls a tag or digest; resolves with the reason when it did not come. */
  pull(reference: string): Promise<string | undefined>;
  say(line: string): void;
}

export interface Brought {
  /** Whether a registry was asked and gave it. */
  isPulled: boolean;
  /** Why the image is not there; undefined when it is. */
  fault?: string;
}

/**
 * Has the image on the engine. One that is there stays, and another version of Berth asks for its tag anew;
 * one that is missing comes by its kept digest. A reference with a digest is taken as it is.
 */
export async function bringImage(reference: string, request: BringRequest): Promise<Brought> {
  const { engine, layout, version, pull, say } = request;
  const kept = reference.includes('@') ? undefined : readDigests(layout)[reference];
  if (await engine.hasImage(reference)) {
    const unpulled = kept === undefined || kept.version === version ? undefined : await pull(reference);
    if (unpulled !== undefined) say(`${reference} stays as it is: ${unpulled}`);
    else await keepDigest(reference, request);
    return { isPulled: kept !== undefined && kept.version !== version && unpulled === undefined };
  }
  if (kept?.version === version) {
    const fault = await pull(kept.digest);
    if (fault === undefined) {
      await engine.tagImage(kept.digest, reference);
      return { isPulled: true };
    }
    say(`${kept.digest}: ${fault}`);
  }
  const fault = await pull(reference);
  if (fault !== undefined) return { isPulled: false, fault };
  await keepDigest(reference, request);
  return { isPulled: true };
}

/** Remembers what the tag leads to now; an image that no registry gave has no digest. */
export async function keepDigest(
  reference: string,
  { engine, layout, version }: Pick<BringRequest, 'engine' | 'layout' | 'version'>,
): Promise<void> {
  if (reference.includes('@')) return;
  const digest = await engine.imageDigest(reference);
  if (digest === undefined) return;
  const before = readDigests(layout);
  const own = before[reference];
  if (own?.digest === digest && own.version === version) return;
  writeRecord(pathOf(layout), { ...before, [reference]: { digest, version } } satisfies KeptDigests);
}
