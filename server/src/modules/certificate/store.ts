/** SQL of certificates. */
import { serverIdOf } from '../../domain/names/server-key.ts';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

/** A certificate without its key. */
export type CertificateRecord = Omit<TableRecord<'certificate'>, 'privateKey'>;

/** A domain that takes an uploaded certificate. */
export interface SecuredDomain {
  domainId: string;
  host: string;
  asciiHost: string;
  path: string;
  /** `local`, or the id of its server. */
  serverKey: string;
}

export interface CertificateStore extends Pick<TableStore<'certificate'>, 'insert' | 'update' | 'remove'> {
  /** Newest first; the private keys are not even read. */
  shown(organizationId: string): Promise<CertificateRecord[]>;
  /** With their keys, for the proxy of the server; one statement. */
  ofServer(serverKey: string): Promise<TableRecord<'certificate'>[]>;
  /** The organization's domains with https whose certificate nobody issues by himself, newest first. */
  securedDomains(organizationId: string): Promise<SecuredDomain[]>;
}

export function createCertificateStore(database: Database): CertificateStore {
  const { builder } = database;
  const certificates = tableStore(database, 'certificate');
  const shown = builder
    .selectFrom('certificate')
    .select([
      'certificateId',
      'organizationId',
      'name',
      'certificateData',
      'serverId',
      'notBefore',
      'expirationDate',
      'commonName',
      'subjectAlternativeNames',
      'issuer',
      'createdAt',
    ])
    .where('organizationId', '=', '')
    .orderBy('createdAt', 'desc')
    .orderBy('certificateId', 'desc')
    .compile();
  const secured = builder
    .selectFrom('domain')
    .select(['domainId', 'host', 'asciiHost', 'path', 'serverKey'])
    .where('organizationId', '=', '')
    .where('https', '=', 1)
    .where('certificateType', '=', 'none')
    .orderBy('createdAt', 'desc')
    .orderBy('domainId', 'desc')
    .compile();
  return {
    insert: certificates.insert,
    update: certificates.update,
    remove: certificates.remove,
    ofServer: (serverKey) =>
      certificates.list({ serverId: serverIdOf(serverKey) }, { by: ['certificateId'], direction: 'asc' }),
    shown: async (organizationId) => (await database.run(shown, [organizationId])).map(certificates.decode),
    securedDomains: (organizationId) => database.run(secured, [organizationId, 1, 'none']),
  };
}
