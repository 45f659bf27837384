/** Domains: host and path → service. A change is in the database and on the proxy, or in neither. */
import { AppError, badField } from '../../domain/errors.ts';
import { generatedHost, parseHost } from '../../domain/names.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { DomainRecord } from '../../db/tables.ts';
import type { DomainStore } from './store.ts';

export interface DomainInput {
  host: string;
  path?: string | undefined;
  port?: number | undefined;
  https?: boolean | undefined;
  certificateType?: DomainRecord['certificateType'] | undefined;
  customCertResolver?: string | null | undefined;
  serviceName?: string | null | undefined;
  domainType?: DomainRecord['domainType'] | undefined;
  internalPath?: string | null | undefined;
  stripPath?: boolean | undefined;
}

export interface Domains {
  /** CONFLICT when host and path are taken. */
  create(organizationId: string, owner: { applicationId?: string | null | undefined; composeId?: string | null | undefined; previewDeploymentId?: string | null | undefined }, input: DomainInput): Promise<DomainRecord>;
  update(domainId: string, organizationId: string, input: DomainInput): Promise<DomainRecord>;
  one(domainId: string, organizationId: string): Promise<DomainRecord>;
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<DomainRecord[]>;
  remove(domainId: string, organizationId: string): Promise<DomainRecord>;
  generate(appName: string, serverIp: string | null): string;
}

const localServer = 'local';

export function createDomains(store: DomainStore, clock: Clock): Domains {
  async function one(domainId: string, organizationId: string): Promise<DomainRecord> {
    const record = await store.find({ domainId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such domain. It may have been removed.');
    return record;
  }
  async function refuseTaken(record: DomainRecord): Promise<void> {
    const holder = await store.find({ serverKey: record.serverKey, asciiHost: record.asciiHost, path: record.path });
    if (!holder || holder.domainId === record.domainId) return;
    const isOurs = holder.organizationId === record.organizationId;
    throw new AppError('CONFLICT', `host: ${record.host}${record.path} leads to another service already${isOurs ? ` (domain ${holder.domainId})` : ''}. Choose another host or path.`, { issues: [{ path: 'host', message: 'is taken with this path' }] });
  }

  return {
    one,
    async create(organizationId, { applicationId, composeId, previewDeploymentId }, input) {
      const domainType = input.domainType ?? 'application';
      checkOwner(domainType, { applicationId, composeId, previewDeploymentId }, input);
      const asciiHost = parseHost(input.host);
      const record: DomainRecord = {
        domainId: randomId(), organizationId, host: input.host, asciiHost, path: input.path ?? '/', port: input.port ?? 3000, https: input.https ?? false,
        certificateType: input.certificateType ?? 'none', customCertResolver: input.customCertResolver ?? null, applicationId: applicationId ?? null, composeId: composeId ?? null,
        serviceName: input.serviceName ?? null, domainType, previewDeploymentId: previewDeploymentId ?? null, internalPath: input.internalPath ?? '/', stripPath: input.stripPath ?? false,
        uniqueConfigKey: 0, serverKey: localServer, createdAt: isoTime(clock),
      };
      checkRules(record, input);
      return store.transaction(async () => {
        await refuseTaken(record);
        record.uniqueConfigKey = await store.nextConfigKey();
        await store.insert(record);
        return record;
      });
    },
    async update(domainId, organizationId, input) {
      const present = await one(domainId, organizationId);
      const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const record: DomainRecord = { ...present, ...changes, internalPath: input.internalPath === undefined ? present.internalPath : input.internalPath ?? '/', asciiHost: parseHost(input.host) };
      checkRules(record, { ...input, certificateType: input.certificateType ?? (present.https ? present.certificateType : undefined) });
      return store.transaction(async () => {
        await refuseTaken(record);
        await store.update({ domainId, organizationId }, record);
        return record;
      });
    },
    byApplication: (applicationId, organizationId) => store.list({ applicationId, organizationId }, { by: ['createdAt', 'domainId'], direction: 'desc' }),
    async remove(domainId, organizationId) {
      const present = await one(domainId, organizationId);
      await store.remove({ domainId, organizationId });
      return present;
    },
    generate: (appName, serverIp) => generatedHost(appName, randomHex(), serverIp ?? '127.0.0.1'),
  };
}

function randomHex(): string {
  return crypto.randomUUID().slice(0, 6);
}

type Owner = { applicationId?: string | null | undefined; composeId?: string | null | undefined; previewDeploymentId?: string | null | undefined };

function checkOwner(domainType: DomainRecord['domainType'], owner: Owner, input: DomainInput): void {
  if (domainType === 'compose') {
    if (!owner.composeId) throw badField('composeId', 'is required for a domain of a compose service');
    if (!input.serviceName) throw badField('serviceName', 'is required for a domain of a compose service');
    throw new AppError('NOT_FOUND', 'There is no compose service with the id given in composeId.');
  }
  if (domainType === 'preview') {
    if (!owner.previewDeploymentId) throw badField('previewDeploymentId', 'is required for a domain of a preview deployment');
    throw new AppError('NOT_FOUND', 'There is no preview deployment with the id given in previewDeploymentId.');
  }
  if (!owner.applicationId) throw badField('applicationId', 'is required for a domain of an application');
}

/** The document's rules, on the record as it will be (interface document, Domains; Errors, other rejection rules). */
function checkRules(record: DomainRecord, input: { certificateType?: string | undefined }): void {
  checkPath(record.path, 'path');
  checkPath(record.internalPath, 'internalPath');
  if (record.stripPath && record.path === '/') throw badField('stripPath', 'is only allowed when path is not "/"');
  if (record.https && input.certificateType === undefined) throw badField('certificateType', 'is required when https is true');
  if (record.certificateType === 'custom' && !record.customCertResolver) throw badField('customCertResolver', 'is required when certificateType is custom');
  if (record.certificateType === 'acme' && record.asciiHost.startsWith('*.')) throw badField('certificateType', 'acme cannot issue for a wildcard host; upload a certificate of your own');
}

function checkPath(path: string, field: string): void {
  if (!path.startsWith('/')) throw badField(field, 'must begin with "/"');
  if (/[\s\\?#*{}%[\]\p{Cc}]/u.test(path)) throw badField(field, 'may not hold spaces, control characters or any of \\ ? # * { } [ ] %');
  if (path.split('/').some((part) => part === '..' || part === '.')) throw badField(field, 'may not hold "." or ".." as a part');
  if (path.includes('//')) throw badField(field, 'may not hold "//"');
}
