/** Certificate orders as records: what is asked for, by which provider and authority. */
import { AppError, badField } from '../../domain/errors.ts';
import { parseHost } from '../../domain/names/names.ts';
import { checkWildcardHost } from '../../domain/names/wildcard-host.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { DatedOrder, OrderRecord, OrderStore } from './store.ts';

export type PublicOrder = Pick<
  OrderRecord,
  | 'certificateOrderId'
  | 'name'
  | 'names'
  | 'dnsProviderId'
  | 'certificateResolverId'
  | 'serverId'
  | 'certificateId'
  | 'status'
  | 'error'
  | 'attempts'
  | 'issuedAt'
  | 'isAutomatic'
  | 'createdAt'
> & { expirationDate: string | null; nextTryAt: string | null };

export interface OrderInput {
  name: string;
  names: readonly string[];
  dnsProviderId: string;
  certificateResolverId?: string | null | undefined;
  serverId?: string | null | undefined;
  isAutomatic?: boolean;
}

export interface CertificateOrders {
  /** BAD_REQUEST for names that cannot be in one certificate, CONFLICT beyond the limit. */
  create(organizationId: string, input: OrderInput): Promise<PublicOrder>;
  one(certificateOrderId: string, organizationId: string): Promise<PublicOrder>;
  /** Newest first; one statement however many there are. */
  all(organizationId: string): Promise<PublicOrder[]>;
  update(
    certificateOrderId: string,
    organizationId: string,
    patch: {
      name?: string | undefined;
      dnsProviderId?: string | undefined;
      certificateResolverId?: string | null | undefined;
    },
  ): Promise<PublicOrder>;
  /** Makes the next attempt due now. */
  retry(certificateOrderId: string, organizationId: string): Promise<PublicOrder>;
  remove(certificateOrderId: string, organizationId: string): Promise<PublicOrder>;
  /** Ends the renewal of a certificate that is removed. */
  forgetCertificate(certificateId: string, organizationId: string): Promise<void>;
}

/** Number of orders that an organization may have. */
export const mostOrders = 200;

export function createCertificateOrders(store: OrderStore, clock: Clock): CertificateOrders {
  const all = async (organizationId: string): Promise<PublicOrder[]> =>
    (await store.dated(organizationId)).map((order) => shown(order, clock.now()));
  const one = async (certificateOrderId: string, organizationId: string): Promise<PublicOrder> => {
    const found = (await all(organizationId)).find((each) => each.certificateOrderId === certificateOrderId);
    if (found) return found;
    throw new AppError('NOT_FOUND', 'There is no such certificate order. It may have been removed.');
  };
  return {
    all,
    one,
    async create(
      organizationId,
      { name, names, dnsProviderId, certificateResolverId, serverId, isAutomatic = false },
    ) {
      await requireRoom(store, organizationId);
      const record: OrderRecord = {
        certificateOrderId: randomId(),
        organizationId,
        name,
        names: await checkedNames(names),
        dnsProviderId,
        certificateResolverId: certificateResolverId ?? null,
        serverId: serverId ?? null,
        certificateId: null,
        status: 'waiting',
        error: null,
        attempts: 0,
        nextAt: clock.now(),
        issuedAt: null,
        isAutomatic,
        createdAt: isoTime(clock),
        leaseHolder: null,
        leaseUntil: 0,
      };
      await store.insert(record);
      return one(record.certificateOrderId, organizationId);
    },
    async update(certificateOrderId, organizationId, patch) {
      await one(certificateOrderId, organizationId);
      await store.update({ certificateOrderId, organizationId }, patch);
      return one(certificateOrderId, organizationId);
    },
    async retry(certificateOrderId, organizationId) {
      await one(certificateOrderId, organizationId);
      await store.update({ certificateOrderId, organizationId }, { nextAt: clock.now() });
      return one(certificateOrderId, organizationId);
    },
    async remove(certificateOrderId, organizationId) {
      const present = await one(certificateOrderId, organizationId);
      await store.remove({ certificateOrderId, organizationId });
      return present;
    },
    async forgetCertificate(certificateId, organizationId) {
      await store.remove({ certificateId, organizationId });
    },
  };
}

/** Names in ASCII, each once; refuses what no authority issues together. */
async function checkedNames(given: readonly string[]): Promise<string[]> {
  const names = [...new Set(given.map((name) => parseHost(name, 'names')))];
  for (const name of names) {
    await checkWildcardHost(name, 'names');
    if (!name.includes('.')) throw badField('names', `${name} must have a domain, such as example.com`);
    const above = `*${name.slice(name.indexOf('.'))}`;
    if (!name.startsWith('*') && names.includes(above))
      throw badField('names', `${name} is covered by ${above}; authorities refuse both in one certificate`);
  }
  return names;
}

async function requireRoom(store: OrderStore, organizationId: string): Promise<void> {
  const present = await store.list({ organizationId });
  if (present.length < mostOrders) return;
  throw new AppError(
    'CONFLICT',
    `This organization has ${present.length} certificate orders, and ${mostOrders} is the maximum. Remove ` +
      'one, or use a wildcard for several hosts.',
  );
}

function shown(
  { organizationId: _own, nextAt, leaseHolder: _by, leaseUntil, ...rest }: DatedOrder,
  now: number,
): PublicOrder {
  return { ...rest, nextTryAt: leaseUntil > now ? null : new Date(nextAt).toISOString() };
}
