/**
 * The second factor of a sign-in (decisions 2): a code of an authenticator app, used once, or one of ten
 * recovery codes, kept as hashes.
 */
import { randomBytes } from 'node:crypto';
import { AppError, badField } from '../../domain/errors.ts';
import { base32, otpauthUrl, stepOfCode } from '../../domain/secrets/totp.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import { hashToken } from '../../ports/token.ts';
import type { UserRecord, UserStore } from './store.ts';

export interface TwoFactorState {
  enabled: boolean;
  recoveryCodesLeft: number;
}

export interface TwoFactors {
  state(userId: string): Promise<TwoFactorState>;
  isOn(userId: string): Promise<boolean>;
  /** A new secret, which counts once it is confirmed; PRECONDITION_FAILED while one is on. */
  begin(user: UserRecord): Promise<{ secret: string; otpauthUrl: string }>;
  /**
   * Switches it on by a first code of the app and gives the recovery codes; every session of the user but one
   * ends, since they were opened without it. BAD_REQUEST for a wrong code.
   */
  confirm(userId: string, code: string, keptSessionId: string | undefined): Promise<string[]>;
  /** Uses a code up, of the app or for recovery; false when it is wrong or was used before. */
  use(userId: string, code: string): Promise<boolean>;
  end(userId: string): Promise<void>;
  /** New recovery codes; the former ones are void. */
  renewCodes(userId: string): Promise<string[]>;
}

const secretBytes = 20;
const codesCount = 10;
/** 80 bits: enough for a fast hash. */
const codeBytes = 10;

export function createTwoFactors(store: UserStore, clock: Clock): TwoFactors {
  async function isOn(userId: string): Promise<boolean> {
    return (await store.twoFactors.find({ userId }))?.confirmedAt != null;
  }

  async function renewCodes(userId: string): Promise<string[]> {
    const codes = Array.from({ length: codesCount }, newRecoveryCode);
    await store.recoveryCodes.remove({ userId });
    for (const code of codes) await store.recoveryCodes.insert({ codeHash: recoveryCodeHash(code), userId });
    return codes;
  }

  /** A step counts once, also for two requests at a time. */
  async function useAppCode(userId: string, secret: string, code: string): Promise<boolean> {
    const step = stepOfCode(Buffer.from(secret, 'base64'), code, clock.now());
    return step !== undefined && (await store.claimStep(userId, step));
  }

  return {
    isOn,
    renewCodes,
    async state(userId) {
      const enabled = await isOn(userId);
      return {
        enabled,
        recoveryCodesLeft: enabled ? (await store.recoveryCodes.list({ userId })).length : 0,
      };
    },
    async begin({ userId, email }) {
      if (await isOn(userId)) throw alreadyOn();
      const secret = await newSecret(store, userId, isoTime(clock));
      return { secret, otpauthUrl: otpauthUrl({ secret, account: email }) };
    },
    async confirm(userId, code, keptSessionId) {
      // Sign-ins wait: one that began before it opens no session behind it.
      await store.holdUser(userId);
      const record = await store.twoFactors.find({ userId });
      if (!record)
        throw new AppError(
          'PRECONDITION_FAILED',
          'There is no secret to confirm yet. Begin with user.twoFactorSetUp.',
        );
      if (record.confirmedAt !== null) throw alreadyOn();
      if (!(await useAppCode(userId, record.secret, plain(code)))) throw wrongCode();
      await store.twoFactors.update({ userId }, { confirmedAt: isoTime(clock) });
      await store.endSessions(userId, keptSessionId);
      return renewCodes(userId);
    },
    async use(userId, given) {
      const code = plain(given);
      const record = await store.twoFactors.find({ userId });
      if (record?.confirmedAt == null) return false;
      if (/^\d{6}$/.test(code)) return useAppCode(userId, record.secret, code);
      return (await store.recoveryCodes.remove({ codeHash: recoveryCodeHash(code), userId })) === 1;
    },
    async end(userId) {
      await store.recoveryCodes.remove({ userId });
      await store.twoFactors.remove({ userId });
    },
  };
}

/** Takes the place of one that was not confirmed; gives it as apps want it. */
async function newSecret(store: UserStore, userId: string, createdAt: string): Promise<string> {
  const bytes = randomBytes(secretBytes);
  await store.twoFactors.remove({ userId });
  await store.twoFactors.insert({
    userId,
    secret: bytes.toString('base64'),
    createdAt,
    confirmedAt: null,
    lastStep: 0,
  });
  return base32(bytes);
}

/** A 400 naming the field, for procedures. */
export function wrongCode(): AppError {
  return badField('code', 'is wrong, or was used before; wait for the next one from the app');
}

function alreadyOn(): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    'Two-factor sign-in is already on. For another app, first switch it off with user.twoFactorDisable.',
  );
}

function newRecoveryCode(): string {
  return base32(randomBytes(codeBytes)).toLowerCase().match(/.{4}/g)?.join('-') ?? '';
}

/** The stored form of a recovery code. */
export function recoveryCodeHash(code: string): string {
  return hashToken(plain(code));
}

/** People type blanks and dashes where they like. */
function plain(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}
