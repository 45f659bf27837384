/** Certificates of an organization: checked when they come, shown with the domains that use them. */
import {
  certificateStatus,
  readCertificate,
  servingCertificate,
  type CertificateStatus,
  type UploadedCertificate,
} from '../../domain/certificates/certificate.ts';
import { AppError, flatError } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { CertificateRecord, CertificateStore, SecuredDomain } from './store.ts';

export interface ShownCertificate extends CertificateRecord {
  status: CertificateStatus;
  domains: SecuredDomain[];
}

export interface Certificates {
  /** Throws the flat refusals of `readCertificate`. */
  create(
    organizationId: string,
    input: UploadedCertificate & { name: string; serverId?: string | null | undefined },
  ): Promise<ShownCertificate>;
  /** Puts a renewed certificate with its key in the place of the former one; refuses as `create` does. */
  replace(
    certificateId: string,
    organizationId: string,
    renewed: UploadedCertificate,
  ): Promise<ShownCertificate>;
  one(certificateId: string, organizationId: string): Promise<ShownCertificate>;
  /** Newest first; two statements however many there are. */
  all(organizationId: string): Promise<ShownCertificate[]>;
  /** The one that serves a host of a server (`local`, or its id). */
  serving(
    asciiHost: string,
    serverKey: string,
    organizationId: string,
  ): Promise<CertificateRecord | undefined>;
  /** Certificate in use (409) while a domain has it. */
  remove(certificateId: string, organizationId: string): Promise<ShownCertificate>;
}

export function createCertificates(store: CertificateStore, clock: Clock): Certificates {
  return {
    all: (organizationId) => all(store, organizationId, clock.now()),
    one: (certificateId, organizationId) => one(store, certificateId, organizationId, clock.now()),
    async serving(asciiHost, serverKey, organizationId) {
      const records = (await store.shown(organizationId)).filter(
        (record) => serverKeyOf(record) === serverKey,
      );
      return servingCertificate(asciiHost, records, clock.now());
    },
    async create(organizationId, { name, serverId, privateKey, ...uploaded }) {
      const certificateId = randomId();
      await store.insert({
        certificateId,
        organizationId,
        name,
        serverId: serverId ?? null,
        privateKey,
        createdAt: isoTime(clock),
        ...readCertificate({ ...uploaded, privateKey }, clock.now()),
      });
      return one(store, certificateId, organizationId, clock.now());
    },
    async replace(certificateId, organizationId, { privateKey, ...uploaded }) {
      const facts = readCertificate({ ...uploaded, privateKey }, clock.now());
      await store.update({ certificateId, organizationId }, { ...facts, privateKey });
      return one(store, certificateId, organizationId, clock.now());
    },
    async remove(certificateId, organizationId) {
      const present = await one(store, certificateId, organizationId, clock.now());
      refuseUsed(present);
      await store.remove({ certificateId, organizationId });
      return present;
    },
  };
}

async function all(
  store: CertificateStore,
  organizationId: string,
  now: number,
): Promise<ShownCertificate[]> {
  const [records, domains] = await Promise.all([
    store.shown(organizationId),
    store.securedDomains(organizationId),
  ]);
  const byServer = Map.groupBy(records, serverKeyOf);
  const users = Map.groupBy(
    domains,
    ({ asciiHost, serverKey }) =>
      servingCertificate(asciiHost, byServer.get(serverKey) ?? [], now)?.certificateId,
  );
  return records.map((record) => ({
    ...record,
    status: certificateStatus(record.expirationDate, now),
    domains: users.get(record.certificateId) ?? [],
  }));
}

async function one(
  store: CertificateStore,
  certificateId: string,
  organizationId: string,
  now: number,
): Promise<ShownCertificate> {
  const certificates = await all(store, organizationId, now);
  const found = certificates.find((certificate) => certificate.certificateId === certificateId);
  if (!found) throw new AppError('NOT_FOUND', 'There is no such certificate. It may have been removed.');
  return found;
}

const shownHosts = 5;

function refuseUsed({ name, domains }: ShownCertificate): void {
  if (domains.length === 0) return;
  const hosts = domains.map(({ host, path }) => (path === '/' ? host : host + path));
  const others = hosts.length - shownHosts;
  throw flatError(
    'Certificate in use',
    `The certificate ${name} is used by ` +
      `${hosts.slice(0, shownHosts).join(', ')}${others > 0 ? ` and ${others} more` : ''}. Upload its ` +
      `replacement, or change ${hosts.length === 1 ? 'that domain' : 'those domains'} first.`,
  );
}
