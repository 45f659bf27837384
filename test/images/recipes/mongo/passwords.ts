/** SCRAM-SHA-256 (RFC 7677), the server's side. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { StoredUser } from './documents.ts';

const iterations = 15_000;

const sign = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const hash = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

export function storePassword(password: string): StoredUser {
  const salt = randomBytes(28);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  return {
    salt: salt.toString('base64'),
    iterations,
    storedKey: hash(sign(salted, 'Client Key')).toString('base64'),
    serverKey: sign(salted, 'Server Key').toString('base64'),
  };
}

/** A sign-in under way. */
export interface Exchange {
  user: StoredUser;
  clientFirst: string;
  serverFirst: string;
}

/** `undefined`: there is no such user. */
export function begin(message: string, users: Record<string, StoredUser>): Exchange | undefined {
  const clientFirst = message.replace(/^n,[^,]*,/, '');
  const fields = fieldsOf(clientFirst);
  const user = users[(fields['n'] ?? '').replaceAll('=2C', ',').replaceAll('=3D', '=')];
  if (!user) return undefined;
  const nonce = `${fields['r'] ?? ''}${randomBytes(18).toString('base64')}`;
  return {
    user,
    clientFirst,
    serverFirst: `r=${nonce},s=${user.salt},i=${user.iterations}`,
  };
}

/** The server's proof, or `undefined` when the password was another one. */
export function finish(message: string, { user, clientFirst, serverFirst }: Exchange): string | undefined {
  const withoutProof = message.slice(0, message.lastIndexOf(',p='));
  const proof = Buffer.from(fieldsOf(message)['p'] ?? '', 'base64');
  const exchanged = `${clientFirst},${serverFirst},${withoutProof}`;
  const signature = sign(Buffer.from(user.storedKey, 'base64'), exchanged);
  const clientKey = Buffer.from(signature.map((byte, index) => byte ^ (proof[index] ?? 0)));
  if (hash(clientKey).toString('base64') !== user.storedKey) return undefined;
  return `v=${sign(Buffer.from(user.serverKey, 'base64'), exchanged).toString('base64')}`;
}

function fieldsOf(message: string): Record<string, string> {
  return Object.fromEntries(message.split(',').map((part) => [part.charAt(0), part.slice(2)]));
}
