/**
 * Whether the proxy may get a certificate for a host that no domain has: when it leads to a domain that
 * allows names of customers, and the service of that domain says yes. A yes is a domain of its own, which the
 * proxy has before the answer; a no is remembered for some minutes. All of it is bounded, since anybody can
 * ask by opening connections for any host.
 */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { parseHost } from '../../domain/names/names.ts';
import { isPublicBase, isWithin } from '../../domain/routing/base-domain.ts';
import type { TellFact } from '../../domain/states/fact.ts';
import type { DomainRecord } from '../../db/tables.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NameResolver } from '../../ports/name-resolver.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { BaseDomains } from '../base-domain/base-domain.ts';
import type { Domains } from '../domain/domain.ts';
import type { HostRules } from '../own-host/own-host.ts';
import { ownerOf } from './owner.ts';
import { createQuestions, type Answer } from './questions.ts';
import type { RefusedNames } from './refused-names.ts';

/** Domains. */
export interface AdmissionStore {
  find(where: { serverKey: string; asciiHost: string }): Promise<DomainRecord | undefined>;
  /** Those of the server whose services allow names of customers, oldest first. */
  allowing(serverKey: string): Promise<DomainRecord[]>;
  /** How many names the services of an organization have allowed since (ISO 8601). */
  allowedSince(organizationId: string, since: string): Promise<number>;
  isHostOfOthers(of: {
    serverKey: string;
    organizationId: string;
    hosts: readonly [string, string];
  }): Promise<boolean>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export interface AdmissionParts {
  store: AdmissionStore;
  domains: Pick<Domains, 'createOnDemand'>;
  hosts: Pick<HostRules, 'check'>;
  baseDomains: Pick<BaseDomains, 'on'>;
  names: Pick<NameResolver, 'lookUp' | 'records'>;
  resolver(): Promise<string | null>;
  clock: Clock;
  /** Whether no authority is to be asked for the host now. */
  isWithheld(serverKey: string, host: string): Promise<boolean>;
  /** Whether the service of the domain says yes to the host; throws when it cannot be asked. */
  ask(domain: DomainRecord, host: string): Promise<Answer>;
  refused: Pick<RefusedNames, 'note'>;
  changeRoutes: ChangeRoutes;
  /** CONFLICT when the organization has more domains than it may have after the work. */
  withinQuota<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  tell: TellFact;
  /** Tells pages that show the domains of the service. */
  changed(made: DomainRecord): Promise<void>;
  onFault(error: unknown): void;
}

export interface Admission {
  /** Never throws: what cannot be decided is a no. */
  allows(serverKey: string, host: string): Promise<boolean>;
}

/** New names of an organization within an hour; authorities limit what one account asks for. */
export const newNamesAnHour = 100;
/** Hosts that are looked into at once; the proxy's next question about one more is a no. */
export const mostAtOnce = 64;
/** Refused hosts that are remembered; the oldest goes first. */
export const mostRemembered = 10_000;
const refusedForMs = 5 * 60_000;
const hourMs = 3_600_000;

export function createAdmission(parts: AdmissionParts): Admission {
  const { clock } = parts;
  const questions = createQuestions(parts);
  const underWay = new Map<string, Promise<boolean>>();
  const refused = new Map<string, number>();

  function remember(key: string): void {
    const [oldest] = refused.keys();
    if (refused.size >= mostRemembered && oldest !== undefined) refused.delete(oldest);
    refused.set(key, clock.now() + refusedForMs);
  }

  return {
    allows(serverKey, name) {
      const host = name.toLowerCase();
      const key = `${serverKey} ${host}`;
      const until = refused.get(key);
      if (until !== undefined && until > clock.now()) return Promise.resolve(false);
      refused.delete(key);
      const present = underWay.get(key);
      if (present) return present;
      if (underWay.size >= mostAtOnce) return Promise.resolve(false);
      const decided = decide(parts, questions.ask, serverKey, host)
        .then((verdict) => {
          if (verdict === 'no') remember(key);
          return verdict === 'yes';
        })
        .catch((error: unknown) => {
          if (!(error instanceof AppError)) parts.onFault(error);
          return false;
        })
        .finally(() => underWay.delete(key));
      underWay.set(key, decided);
      return decided;
    },
  };
}

/** `later`: nothing was found out that is worth remembering. */
type Verdict = 'yes' | 'no' | 'later';

async function decide(
  parts: AdmissionParts,
  ask: (domain: DomainRecord, host: string) => Promise<Answer>,
  serverKey: string,
  host: string,
): Promise<Verdict> {
  if (!isPublicName(host)) return 'no';
  const present = await parts.store.find({ serverKey, asciiHost: host });
  if (present)
    return present.onDemandOf !== null && !(await parts.isWithheld(serverKey, host)) ? 'yes' : 'later';
  const allowing = await parts.store.allowing(serverKey);
  if (allowing.length === 0) return 'no';
  if (!(await mayBeOfCustomers(parts, serverKey, host, allowing))) return 'no';
  const owner = await ownerOf(parts, host, allowing);
  if (owner === undefined) return 'no';
  if (owner === 'unknown') return 'later';
  const { domain } = owner;
  const refuse = (verdict: 'no' | 'later', reason: string): Verdict => {
    parts.refused.note(domain.domainId, host, reason);
    return verdict;
  };
  if (owner.elsewhere !== undefined) return refuse('no', owner.elsewhere);
  const hosts = [host, host.replace(/^[^.]+/, '*')] as const;
  const { organizationId } = domain;
  if (await parts.store.isHostOfOthers({ serverKey, organizationId, hosts: [...hosts] }))
    return refuse('no', 'another organization has it, or a wildcard that covers it');
  if (await isAtLimit(parts, domain))
    return refuse('later', `${newNamesAnHour} names were allowed within an hour, the most that may be`);
  const { isYes, said } = await ask(domain, host);
  if (!isYes) return refuse(isYes === undefined ? 'later' : 'no', said);
  await admit(parts, domain, host);
  return 'yes';
}

/** A name that an authority certifies and that one customer can have. */
function isPublicName(host: string): boolean {
  try {
    const parsed = parseHost(host);
    return (
      parsed === host &&
      host.includes('.') &&
      !/^[\d.]+$/.test(host) &&
      !host.startsWith('*') &&
      isPublicBase(host) &&
      !isWithin('sslip.io', host)
    );
  } catch {
    return false;
  }
}

/** Neither Berth's own, nor below a base domain; what other organizations have is refused by the domain. */
async function mayBeOfCustomers(
  { hosts, baseDomains }: AdmissionParts,
  serverKey: string,
  host: string,
  allowing: readonly DomainRecord[],
): Promise<boolean> {
  try {
    await hosts.check(host, serverKey);
  } catch (error) {
    if (error instanceof AppError && error.code === 'BAD_REQUEST') return false;
    throw error;
  }
  for (const organizationId of new Set(allowing.map((each) => each.organizationId)))
    if ((await baseDomains.on(serverKey, organizationId)).some((base) => isWithin(base, host))) return false;
  return true;
}

async function isAtLimit(
  { store, clock, tell }: AdmissionParts,
  { organizationId, domainId, host }: DomainRecord,
): Promise<boolean> {
  const lately = await store.allowedSince(organizationId, new Date(clock.now() - hourMs).toISOString());
  if (lately < newNamesAnHour) return false;
  await tell({
    event: 'onDemandLimit',
    organizationId,
    subject: { type: 'domain', id: domainId, name: host },
    sentence:
      `${lately} host names of customers were allowed within an hour, as many as an organization may ` +
      `have. Those that come now have no certificate until an hour has passed since the first of them. If ` +
      `these are not your customers, let the path allowOnDemand of ${host} say no to them, and remove them.`,
  });
  return true;
}

async function admit(parts: AdmissionParts, domain: DomainRecord, host: string): Promise<void> {
  const { organizationId, serverKey, domainId } = domain;
  try {
    const made = await parts.changeRoutes(serverKey, parts.store.transaction, () =>
      parts.withinQuota(organizationId, () => parts.domains.createOnDemand(domain, host)),
    );
    await parts.changed(made);
  } catch (error) {
    // It may be the quota, a host of others, or a proxy that refused the routes.
    parts.refused.note(domainId, host, error instanceof AppError ? sentenceOf(error) : 'Berth failed at it');
    if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
    await parts.tell({
      event: 'onDemandLimit',
      organizationId,
      subject: { type: 'domain', id: domainId, name: domain.host },
      sentence: `${host}, which the service of ${domain.host} allowed, is not served: ${error.message}`,
    });
    throw error;
  }
}
