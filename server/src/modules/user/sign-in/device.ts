/**
 * Devices that signed in before: a cookie that says so, signed with the installation's key, so that strangers
 * who guess at an account lock out only strangers (decisions 2).
 */
import { timingSafeEqual } from 'node:crypto';
import { newToken } from '../../../ports/token.ts';
import type { UserRecord } from '../store.ts';

type Account = Pick<UserRecord, 'userId' | 'passwordHash'>;

export interface Devices {
  /**
   * Name of the device for this account; undefined when it never signed in to it, or not since the password
   * was changed.
   */
  nameOf(cookie: string | undefined, account: Account): string | undefined;
  /** Cookie value after a sign-in; it goes on knowing the device's other accounts. */
  afterSignIn(cookie: string | undefined, account: Account): string;
}

/** Accounts that one device remembers; the oldest is forgotten. */
const accountsLimit = 5;
const idLength = 43;

/** `sign` gives a keyed hash of a text. */
export function createDevices(sign: (text: string) => string): Devices {
  // The stored password stands in it, so that whoever knew a former one has no bucket for guessing the next.
  const markOf = (id: string, { userId, passwordHash }: Account): string =>
    sign(['device', id, userId, passwordHash].join('\n'));
  return {
    nameOf(cookie, account) {
      const [id, marks] = partsOf(cookie);
      if (id === undefined) return undefined;
      const expected = Buffer.from(markOf(id, account));
      const isKnown = marks
        .map((mark) => Buffer.from(mark))
        .some((mark) => mark.length === expected.length && timingSafeEqual(mark, expected));
      return isKnown ? `${id} ${account.userId}` : undefined;
    },
    afterSignIn(cookie, account) {
      const [known, marks] = partsOf(cookie);
      const id = known ?? newToken();
      const mark = markOf(id, account);
      return [id, mark, ...marks.filter((one) => one !== mark)].slice(0, accountsLimit + 1).join('.');
    },
  };
}

function partsOf(cookie: string | undefined): [id: string | undefined, marks: string[]] {
  const [id = '', ...marks] = (cookie ?? '').split('.');
  const isOurs = id.length === idLength && marks.length <= accountsLimit && /^[\w.-]+$/.test(cookie ?? '');
  return isOurs ? [id, marks] : [undefined, []];
}
