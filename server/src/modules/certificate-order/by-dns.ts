/** The certificate that Berth has by DNS for a host, as records of domains show it. */
import { certificateByDns, type OrderedNames, type SharedBase } from '../../domain/certificates/by-dns.ts';
import { localServer, serverIdOf, serverKeyOf } from '../../domain/names/server-key.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ShownCertificate } from '../certificate/certificate.ts';
import type { OrderRecord } from './store.ts';

/** A certificate without its key. */
export type HeldCertificate = Omit<ShownCertificate, 'status' | 'domains'>;

export interface ByDnsDeps {
  orders(serverId: string | null): Promise<OrderRecord[]>;
  /** Newest first, without keys. */
  certificates(organizationId: string): Promise<HeldCertificate[]>;
  /** The base domain of the installation. */
  base(): Promise<SharedBase | null>;
  clock: Clock;
}

export interface ByDns {
  /** The certificate and the order that serve a host with certificateType acme. */
  of(
    host: { asciiHost: string; organizationId: string },
    serverKey: string,
  ): Promise<{ certificate?: HeldCertificate | undefined; order?: CoveringOrder | undefined }>;
  /** Whether a host has a certificate by DNS, or an order of one. */
  isOrdered(asciiHost: string, serverKey: string, organizationId: string): Promise<boolean>;
}

export type CoveringOrder = Pick<OrderRecord, 'error' | 'nextAt' | 'status'> & OrderedNames;

export function createByDns({ orders, certificates, base, clock }: ByDnsDeps): ByDns {
  const of: ByDns['of'] = async (host, serverKey) => {
    const shared = serverKey === localServer ? await base() : null;
    const holders = new Set([host.organizationId, ...(shared ? [shared.organizationId] : [])]);
    const records = await Promise.all([...holders].map(certificates));
    const here = records.flat().filter((record) => serverKeyOf(record) === serverKey);
    const ordered = await orders(serverIdOf(serverKey));
    return certificateByDns(host, { certificates: here, orders: ordered, base: shared }, clock.now());
  };
  return {
    of,
    async isOrdered(asciiHost, serverKey, organizationId) {
      const { certificate, order } = await of({ asciiHost, organizationId }, serverKey);
      return certificate !== undefined || order !== undefined;
    },
  };
}
