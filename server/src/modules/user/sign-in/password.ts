/**
 * Passwords: argon2id with 19 MiB and two passes (OWASP Password Storage Cheat Sheet), in the thread pool.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);
const settings = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/** The stored form of a password; it carries its own salt. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive('argon2id', { message: password, nonce, ...settings });
  const { memory, passes } = settings;
  return ['argon2id', memory, passes, nonce.toString('base64'), tag.toString('base64')].join('$');
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, nonce, expected] = stored.split('$');
  if (!memory || !passes || !nonce || !expected) return false;
  const tag = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
    parallelism: 1,
    tagLength: 32,
    memory: Number(memory),
    passes: Number(passes),
  });
  return timingSafeEqual(tag, Buffer.from(expected, 'base64'));
}
