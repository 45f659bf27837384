/** Users of HTTP basic authentication on the domains of an application (decisions 5). */
import { AppError } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { BasicAuthRecord, BasicAuthStore } from './store.ts';

/** A user without the password's hash. */
export type PublicBasicAuth = Omit<BasicAuthRecord, 'passwordHash'>;

export interface BasicAuths {
  /** CONFLICT when the application has a user of that name. */
  create(
    organizationId: string,
    applicationId: string,
    input: { username: string; passwordHash: string },
  ): Promise<PublicBasicAuth>;
  one(basicAuthId: string, organizationId: string): Promise<PublicBasicAuth>;
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<PublicBasicAuth[]>;
  update(
    basicAuthId: string,
    organizationId: string,
    patch: { username?: string | undefined; passwordHash?: string | undefined },
  ): Promise<PublicBasicAuth>;
  remove(basicAuthId: string, organizationId: string): Promise<PublicBasicAuth>;
}

export function createBasicAuths(store: BasicAuthStore, clock: Clock): BasicAuths {
  async function found(basicAuthId: string, organizationId: string): Promise<BasicAuthRecord> {
    const record = await store.find({ basicAuthId, organizationId });
    if (!record)
      throw new AppError('NOT_FOUND', 'There is no such basic auth user. It may have been removed.');
    return record;
  }

  return {
    async create(organizationId, applicationId, { username, passwordHash }) {
      const shown = {
        basicAuthId: randomId(),
        organizationId,
        applicationId,
        username,
        createdAt: isoTime(clock),
      };
      await named(username, () => store.insert({ ...shown, passwordHash }));
      return shown;
    },
    one: async (basicAuthId, organizationId) => withoutHash(await found(basicAuthId, organizationId)),
    byApplication: async (applicationId, organizationId) =>
      (
        await store.list(
          { applicationId, organizationId },
          { by: ['createdAt', 'basicAuthId'], direction: 'desc' },
        )
      ).map(withoutHash),
    async update(basicAuthId, organizationId, { username, passwordHash }) {
      const present = await found(basicAuthId, organizationId);
      const changed: BasicAuthRecord = {
        ...present,
        username: username ?? present.username,
        passwordHash: passwordHash ?? present.passwordHash,
      };
      await named(changed.username, () => store.update({ basicAuthId, organizationId }, changed));
      return withoutHash(changed);
    },
    async remove(basicAuthId, organizationId) {
      const record = await found(basicAuthId, organizationId);
      await store.remove({ basicAuthId, organizationId });
      return withoutHash(record);
    },
  };
}

/** The unique index decides; here it gets its sentence. */
async function named(username: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
    throw new AppError(
      'CONFLICT',
      `username: the application has a user ${username} already. Choose another name, or change that ` +
        `user's password.`,
      { cause: error, issues: [{ path: 'username', message: 'is taken' }] },
    );
  }
}

function withoutHash({ passwordHash: _secret, ...shown }: BasicAuthRecord): PublicBasicAuth {
  return shown;
}
