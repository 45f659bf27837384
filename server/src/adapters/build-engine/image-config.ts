/**
 * The configuration of an image (OCI image specification, "Image Configuration") as a builder gives it, which
 * may be anything: it decides which layers the engine takes, and whose the image is.
 */
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { wholeSecond } from '../../domain/builds/built-image.ts';
import { builtLabel, ownerPrefixes } from '../../domain/names/labels.ts';

export interface ImageConfig {
  /** Digests of the layers' archives, lowest first. */
  diffIds: readonly string[];
  /** Its bytes with these labels and the time it was built, and no other labels that name an owner. */
  labelled(labels: Readonly<Record<string, string>>): Buffer;
}

/** An engine takes fewer. */
export const mostLayers = 500;

const configuration = z.looseObject({
  rootfs: z.looseObject({
    diff_ids: z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/)).max(mostLayers),
  }),
  config: z.looseObject({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
  created: z.string().nullish(),
});

/** A container made from the image would be taken for one of Berth's, of a swarm's or of a compose file's. */
const strippedPrefixes = [...ownerPrefixes, 'com.docker.compose.', 'com.docker.stack.'];

/** Throws PRECONDITION_FAILED for one that no builder makes. */
export function readImageConfig(bytes: Buffer): ImageConfig {
  const read = configuration.safeParse(parsed(bytes));
  if (!read.success) throw refused('is in no form that Berth knows');
  const { rootfs, config, created } = read.data;
  requireExact(read.data, ['rootfs', 'config', 'created']);
  requireExact(rootfs, ['type', 'diff_ids']);
  requireExact(config ?? {}, ['Labels']);
  return {
    diffIds: rootfs.diff_ids,
    // Written anew in any case, so that an engine reads what was read here: of a name that stands there twice
    // it would take both.
    labelled(labels) {
      const own = Object.entries(config?.Labels ?? {}).filter(
        ([name]) => !strippedPrefixes.some((prefix) => name.startsWith(prefix)),
      );
      const made = { ...labels, ...builtLabels(created) };
      const whole = { ...read.data, config: { ...config, Labels: { ...Object.fromEntries(own), ...made } } };
      return Buffer.from(JSON.stringify(whole));
    },
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** None for an image that has no time. */
function builtLabels(created: string | null | undefined): Record<string, string> {
  const time = wholeSecond(created ?? '');
  return time === undefined ? {} : { [builtLabel]: time };
}

/** Go's encoding/json takes a name in any case for the one it looks for, and the last one that it meets. */
function requireExact(object: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  for (const key of Object.keys(object)) {
    const meant = names.find((name) => folded(name) === folded(key));
    if (meant !== undefined && meant !== key)
      throw refused(`has the field ${JSON.stringify(key)}, which engines take for "${meant}"`);
  }
}

/** Two ways, so that "\u017f" is an S and the Kelvin sign a K. */
const folded = (name: string): string => name.toLowerCase().toUpperCase();

function refused(why: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The configuration of the image that was built ${why}, so the image was not imported. Deploy again ` +
      'with a clean cache, and without a frontend of your own ("# syntax=").',
  );
}
