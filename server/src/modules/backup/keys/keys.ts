/** Who can open an object that is encrypted, and what is said where nobody here can. */
import { AppError, badField } from '../../../domain/errors.ts';
import { decrypted, recipientOf } from '../../../domain/secrets/age.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import type { BackupRunRecord } from '../store.ts';
import type { BackupRuns } from '../runs/runs.ts';
import type { Bytes } from '../runs/unpack/bytes.ts';

type Made = Pick<BackupRunRecord, 'destinationId' | 'path' | 'recipients'>;

/** Whether a private key that is stored with the destination opens the object. */
export async function canOpen(runs: Pick<BackupRuns, 'keysOf'>, made: Made): Promise<boolean> {
  if (made.recipients.length === 0) return true;
  const { held } = await runs.keysOf(made.destinationId);
  return made.recipients.some((recipient) => held.includes(recipient));
}

/** Why an object cannot be tried. */
export const cannotBeTried = ({ path, recipients }: Made): string =>
  `The object ${path} is encrypted for ${recipients.join(', ')}, and Berth has no private key of these, so ` +
  'it cannot restore it on trial. Give one of them to the destination (destination.update, `identity`).';

interface Opening extends Pick<BackupRunRecord, 'destinationId' | 'path'> {
  /** The private key that came with the restore. */
  identity: string | undefined;
}

/**
 * The private key to restore with besides those of the destination. BAD_REQUEST for one that opens nothing
 * here; PRECONDITION_FAILED when one is needed and none is there.
 */
export async function requireKey(
  runs: Pick<BackupRuns, 'keysOf' | 'ofObject'>,
  { destinationId, path, identity }: Opening,
): Promise<string | null> {
  const made = await runs.ofObject(destinationId, path);
  const wanted = made?.recipients ?? [];
  const key = identity?.trim() ?? '';
  if (key !== '') {
    const recipient = await recipientOf(key);
    if (recipient === undefined)
      throw badField('identity', 'must be a private key of age (AGE-SECRET-KEY-1…, 74 characters)');
    if (wanted.length > 0 && !wanted.includes(recipient))
      throw badField(
        'identity',
        `is the private key of ${recipient}, but ${path} is encrypted for ${wanted.join(', ')}`,
      );
    return key;
  }
  if (made && !(await canOpen(runs, made)))
    throw new AppError(
      'PRECONDITION_FAILED',
      `The object ${path} is encrypted for ${wanted.join(', ')}, and Berth has no private key of these. ` +
        'Give one (AGE-SECRET-KEY-1…) as `identity`; it is forgotten when the restore ends.',
    );
  return null;
}

/** The bytes of the run's object, or of one beside it, before they were encrypted. */
export function unsealed(
  store: Pick<ObjectStore, 'identities'>,
  { identity }: Pick<BackupRunRecord, 'identity'>,
  bytes: Bytes,
  recipients: readonly string[] = [],
): AsyncGenerator<Uint8Array> {
  const stored = (store.identities ?? []).map((one) => one.reveal());
  return decrypted(bytes, { identities: identity === null ? stored : [identity, ...stored], recipients });
}
