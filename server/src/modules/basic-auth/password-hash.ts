import { hash } from 'bcryptjs';

/**
 * 2^10 rounds: about 60 ms for each guess. The proxy knows no stronger function that its Debian version
 * shares with us.
 */
const cost = 10;

/** The bcrypt hash of a password that `parsePassword` took. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}
