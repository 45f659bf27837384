/**
 * Files in the format of age (age-encryption.org/v1), which the public tool of that name reads as well: made
 * for public keys (`age1…`, "recipients"), opened by one of their private keys (`AGE-SECRET-KEY-1…`,
 * "identities").
 */
import { AppError } from '../errors.ts';
import { beginningOf } from '../text/beginning-of.ts';

type Bytes = AsyncIterable<Uint8Array>;

export interface KeyPair {
  recipient: string;
  identity: string;
}

/** Ending of the names of such files. */
export const ageEnding = '.age';

const mark = Buffer.from('age-encryption.org/v1\n');
const armor = Buffer.from('-----BEGIN AGE ');
const endOfHeader = Buffer.from('\n--- ');
/** Some hundred recipients; `age` itself sets no limit. */
const mostHeader = 64 * 1024;

// Loaded at the first use, as an installation without encrypted backups has none.
const library = async () => import('age-encryption');

export async function newKeyPair(): Promise<KeyPair> {
  const { generateX25519Identity, identityToRecipient } = await library();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Undefined for a text that is no private key. */
export async function recipientOf(identity: string): Promise<string | undefined> {
  if (!/^AGE-SECRET-KEY-1[0-9A-Z]{58}$/.test(identity)) return undefined;
  const { identityToRecipient } = await library();
  return identityToRecipient(identity).catch(() => undefined);
}

/** Whether it is a public key that every version of the tool knows; its checksum is part of it. */
export async function isRecipient(text: string): Promise<boolean> {
  if (!/^age1[0-9a-z]{58}$/.test(text)) return false;
  const { Encrypter } = await library();
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

/** The bytes for those who have the private key of one of the recipients; as they are when there is none. */
export async function* encrypted(recipients: readonly string[], source: Bytes): AsyncGenerator<Uint8Array> {
  if (recipients.length === 0) return yield* source;
  const { Encrypter } = await library();
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  const { whole, end } = await beginningOf(source, () => true);
  try {
    yield* await encrypter.encrypt(ReadableStream.from(whole));
  } finally {
    await end();
  }
}

export interface Keyring {
  /** Private keys. */
  identities: readonly string[];
  /** Public keys that it is encrypted for, where they are known. */
  recipients?: readonly string[];
}

/**
 * What was encrypted; bytes that nobody encrypted as they are. PRECONDITION_FAILED, with the keys, when none
 * of these opens it, and for a file that is damaged.
 */
export async function* decrypted(source: Bytes, keyring: Keyring): AsyncGenerator<Uint8Array> {
  const { head, whole, end } = await beginningOf(source, isWholeHeader);
  if (head.subarray(0, armor.length).equals(armor)) {
    await end();
    throw new AppError(
      'PRECONDITION_FAILED',
      'The object is encrypted by age as text (--armor). Store it as age writes it without that option.',
    );
  }
  if (!head.subarray(0, mark.length).equals(mark)) return yield* whole;
  try {
    requireHeader(head);
    const { Decrypter } = await library();
    const decrypter = new Decrypter();
    for (const identity of keyring.identities) decrypter.addIdentity(identity);
    yield* opened(await decrypter.decrypt(ReadableStream.from(whole)).catch(asRefusal(keyring)));
  } finally {
    await end();
  }
}

async function* opened(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw isOfLibrary(error) ? damaged(error) : error;
  }
}

const asRefusal =
  (keyring: Keyring) =>
  async (error: unknown): Promise<never> => {
    if (error instanceof Error && error.message.startsWith('no identity matched'))
      throw await refusal(keyring);
    throw isOfLibrary(error) ? damaged(error) : error;
  };

/** Names no private key. */
async function refusal({ identities, recipients = [] }: Keyring): Promise<AppError> {
  const held: string[] = [];
  for (const identity of identities) held.push((await recipientOf(identity)) ?? 'unknown');
  const wanted =
    recipients.length === 0
      ? 'The object is encrypted by age, for a key that is not known here'
      : `The object is encrypted by age for ${recipients.join(', ')}`;
  const had =
    held.length === 0
      ? 'Berth has no private key for this destination'
      : `the private keys that Berth has are those of ${held.join(', ')}`;
  return new AppError(
    'PRECONDITION_FAILED',
    `${wanted}, and ${had}. Give the private key of one that it is encrypted for (AGE-SECRET-KEY-1…), as ` +
      '`identity` of the restore or of the destination. Nothing was changed.',
  );
}

/** Its failures are plain ones; those of the source are of ours or have a code. */
const isOfLibrary = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof AppError) && !('code' in error) && error.name === 'Error';

const damaged = (cause: unknown): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    'The object is damaged: it is not a complete file of age. Choose another backup.',
    { cause },
  );

function requireHeader(head: Buffer): void {
  if (!head.includes(endOfHeader)) throw damaged('its header does not end');
  if (head.includes('\n-> scrypt '))
    throw new AppError(
      'PRECONDITION_FAILED',
      'The object is encrypted by age with a passphrase. Only objects that are encrypted for keys can be ' +
        'restored: decrypt it first, or encrypt it for a key (age -r).',
    );
}

/** Whether these bytes hold the whole header, or are none of such a file. */
function isWholeHeader(head: Buffer): boolean {
  if (head.length < mark.length) return false;
  const isAge = head.subarray(0, mark.length).equals(mark);
  return !isAge || head.includes(endOfHeader) || head.length >= mostHeader;
}
