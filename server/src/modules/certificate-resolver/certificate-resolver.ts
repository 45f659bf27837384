/** Certificate resolvers of an organization. */
import { AppError, badField } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { Outgoing } from '../../ports/outgoing.ts';
import type { ResolverRecord, ResolverStore } from './store.ts';

export interface ResolverInput {
  name: string;
  directoryUrl: string;
  email: string;
  eab?: { keyId: string; hmacKey: string } | null | undefined;
  rootCertificates?: string | null | undefined;
}

/** A resolver without its secret. */
export type PublicResolver = Omit<ResolverRecord, 'eabKeyId' | 'eabHmacKey'> & {
  eab: { keyId: string } | null;
};

export interface CertificateResolvers {
  /**
   * BAD_REQUEST for a directory that the organization may not reach. The proxy asks it, so that it is judged
   * where it comes in; one that does not resolve yet may stand. To be called outside of a transaction.
   */
  admit(directoryUrl: string, organizationId: string): Promise<void>;
  /** CONFLICT when the name is taken, as in `update`. */
  create(organizationId: string, input: ResolverInput): Promise<PublicResolver>;
  one(certificateResolverId: string, organizationId: string): Promise<PublicResolver>;
  /** Newest first. */
  all(organizationId: string): Promise<PublicResolver[]>;
  update(
    certificateResolverId: string,
    organizationId: string,
    patch: { [K in keyof ResolverInput]?: ResolverInput[K] | undefined },
  ): Promise<PublicResolver>;
  /** PRECONDITION_FAILED while somebody names it. */
  remove(certificateResolverId: string, organizationId: string): Promise<PublicResolver>;
}

export interface ResolverNeighbours {
  clock: Clock;
  outgoing: Pick<Outgoing, 'judge'>;
  /** Lets the next order make the account anew, by the resolver's id. */
  forgetAccount(certificateResolverId: string): Promise<void>;
}

export function createCertificateResolvers(
  store: ResolverStore,
  { clock, forgetAccount, outgoing }: ResolverNeighbours,
): CertificateResolvers {
  async function found(certificateResolverId: string, organizationId: string): Promise<ResolverRecord> {
    const record = await store.find({ certificateResolverId, organizationId });
    if (!record)
      throw new AppError('NOT_FOUND', 'There is no such certificate resolver. It may have been removed.');
    return record;
  }

  return {
    admit: (directoryUrl, organizationId) => admit(outgoing, directoryUrl, organizationId),
    async create(organizationId, { eab, rootCertificates, ...input }) {
      const record: ResolverRecord = {
        certificateResolverId: randomId(),
        organizationId,
        ...input,
        rootCertificates: rootCertificates ?? null,
        ...binding(eab ?? null),
        createdAt: isoTime(clock),
      };
      await named(record.name, () => store.insert(record));
      return withoutSecret(record);
    },
    one: async (certificateResolverId, organizationId) =>
      withoutSecret(await found(certificateResolverId, organizationId)),
    all: async (organizationId) =>
      (
        await store.list(
          { organizationId },
          { by: ['createdAt', 'certificateResolverId'], direction: 'desc' },
        )
      ).map(withoutSecret),
    async update(certificateResolverId, organizationId, { eab, ...patch }) {
      const present = await found(certificateResolverId, organizationId);
      const changes = { ...patch, ...(eab === undefined ? {} : binding(eab)) };
      await named(patch.name ?? present.name, () =>
        store.update({ certificateResolverId, organizationId }, changes),
      );
      // An authority binds an account when it makes it, and never again.
      if (eab !== undefined && (eab?.keyId ?? null) !== present.eabKeyId)
        await forgetAccount(certificateResolverId);
      if (patch.name !== undefined && patch.name !== present.name)
        await store.renameUses(organizationId, present.name, patch.name);
      return withoutSecret(await found(certificateResolverId, organizationId));
    },
    async remove(certificateResolverId, organizationId) {
      const present = await found(certificateResolverId, organizationId);
      await refuseUsed(store, present);
      await store.remove({ certificateResolverId, organizationId });
      return withoutSecret(present);
    },
  };
}

async function refuseUsed(
  store: ResolverStore,
  { certificateResolverId, organizationId, name }: ResolverRecord,
): Promise<void> {
  const uses = await store.countUses(organizationId, name);
  if (uses > 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The certificate resolver ${name} is named by ${uses} domain${uses === 1 ? '' : 's'} ` +
        `or preview settings. Give ${uses === 1 ? 'it' : 'them'} another one first.`,
    );
  const orders = await store.countOrders(certificateResolverId);
  if (orders > 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The certificate resolver ${name} is asked by ${orders} certificate order${orders === 1 ? '' : 's'}. ` +
        'Choose another one with certificateOrder.update, or remove them, first.',
    );
}

async function admit(
  outgoing: Pick<Outgoing, 'judge'>,
  directoryUrl: string,
  organizationId: string,
): Promise<void> {
  try {
    const { hostname, port } = new URL(directoryUrl);
    await outgoing.judge(hostname, { organizationId }, Number(port || 443));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'PRECONDITION_FAILED') return;
    throw badField('directoryUrl', error.message);
  }
}

function binding(eab: ResolverInput['eab']): Pick<ResolverRecord, 'eabKeyId' | 'eabHmacKey'> {
  return { eabKeyId: eab?.keyId ?? null, eabHmacKey: eab?.hmacKey ?? null };
}

/** The unique index decides; here it gets its sentence. */
async function named(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
    throw new AppError(
      'CONFLICT',
      `name: a certificate resolver named ${name} already exists. Choose another name.`,
      { cause: error, issues: [{ path: 'name', message: 'is taken' }] },
    );
  }
}

function withoutSecret({ eabKeyId, eabHmacKey: _secret, ...shown }: ResolverRecord): PublicResolver {
  return { ...shown, eab: eabKeyId === null ? null : { keyId: eabKeyId } };
}
