/** The keys of a destination: for whom its backups are encrypted, and what opens them here. */
import { badField } from '../../domain/errors.ts';
import { heldKeys } from '../../domain/secrets/age-identities.ts';
import { isRecipient, newKeyPair, recipientOf, type KeyPair } from '../../domain/secrets/age.ts';

export interface DestinationKeys {
  recipients: string[];
  /** As `age-keygen` writes them; null: none. */
  identities: string | null;
}

/** Null where a person clears them; absent ones stay. */
export interface KeysInput {
  recipients?: readonly string[] | null | undefined;
  identity?: string | null | undefined;
}

export const mostRecipients = 20;
const mostIdentities = 50;

/** A given private key is added, so that what is stored for another one stays readable. */
export async function nextKeys(present: DestinationKeys, input: KeysInput): Promise<DestinationKeys> {
  const recipients =
    input.recipients === undefined ? present.recipients : await checkedRecipients(input.recipients ?? []);
  if (input.identity === undefined) return { recipients, identities: present.identities };
  if (input.identity === null || input.identity.trim() === '') return { recipients, identities: null };
  return { recipients, identities: withIdentities(present.identities, await readIdentities(input.identity)) };
}

/** The keys with a pair that is new; what is stored for the others stays readable. */
export async function withNewKey(
  present: DestinationKeys,
): Promise<{ keys: DestinationKeys; pair: KeyPair }> {
  const pair = await newKeyPair();
  if (present.recipients.length >= mostRecipients)
    throw badField('destinationId', `has ${mostRecipients} recipients already, the most that one may have`);
  const identities = withIdentities(present.identities, [pair]);
  return { pair, keys: { recipients: [...present.recipients, pair.recipient], identities } };
}

async function checkedRecipients(given: readonly string[]): Promise<string[]> {
  const recipients = [...new Set(given.map((one) => one.trim()))];
  for (const one of recipients) if (!(await isRecipient(one))) throw badField('recipients', faultOf(one));
  return recipients;
}

/** Does not repeat a private key that was given in the place of a public one. */
function faultOf(text: string): string {
  if (text.toUpperCase().startsWith('AGE-SECRET-KEY-'))
    return 'must be public keys: this is a private one (AGE-SECRET-KEY-…), which belongs into identity';
  if (/^(ssh-|age1[a-z0-9]{1,10}1)/.test(text))
    return `must be plain keys of age: "${text.slice(0, 20)}…" is one of SSH or of a plugin`;
  const given = JSON.stringify(text.slice(0, 80));
  return `must be public keys of age (age1…, 62 characters), as age-keygen prints them, not ${given}`;
}

/** One or several private keys, alone or as `age-keygen` writes them. */
export async function readIdentities(text: string): Promise<KeyPair[]> {
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const pairs: KeyPair[] = [];
  for (const identity of keys) {
    const recipient = await recipientOf(identity);
    if (recipient === undefined)
      throw badField(
        'identity',
        'must be a private key of age (AGE-SECRET-KEY-1…, 74 characters), or the file that age-keygen wrote',
      );
    pairs.push({ identity, recipient });
  }
  if (pairs.length === 0) throw badField('identity', 'has no private key of age (AGE-SECRET-KEY-1…) in it');
  return pairs;
}

function withIdentities(present: string | null, added: readonly KeyPair[]): string {
  const held = new Set(heldKeys(present));
  const more = added.filter(({ recipient }) => !held.has(recipient));
  if (held.size + more.length > mostIdentities)
    throw badField(
      'identity',
      `would be one of more than ${mostIdentities} private keys of this destination`,
    );
  const lines = more.map((pair) => `# public key: ${pair.recipient}\n${pair.identity}\n`);
  return `${present ?? ''}${lines.join('')}`;
}
