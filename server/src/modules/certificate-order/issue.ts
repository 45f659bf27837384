/** One attempt at a certificate: account, records, authority; the records are removed whatever happens. */
import { generateKeyPairSync } from 'node:crypto';
import { Secret } from '../../domain/secrets/secret.ts';
import type { AcmeAuthority, AcmeClient, AcmeProof } from '../../ports/certificates/acme.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { DnsProviders } from '../dns-provider/dns-provider.ts';
import type { OrderRecord, OrderStore } from './store.ts';

type Provider = Awaited<ReturnType<DnsProviders['found']>>;

/** TXT records at DNS providers, as `createChallengeRecords` has them. */
export interface Proving<R> {
  set(provider: Provider, host: string, text: string, holdMs: number): Promise<R>;
  awaitSeen(provider: Provider, records: readonly R[], signal: AbortSignal): Promise<void>;
  remove(records: readonly R[]): Promise<void>;
}

/** The same by a program of Berth's machine, one record at a time. */
export interface ProvingByProgram {
  /** Whether it is needed for the provider. */
  isFor(provider: Provider): boolean;
  set(
    provider: Provider,
    proof: { host: string; token: string; accountKey: Secret; signal: AbortSignal },
  ): Promise<{ remove(): Promise<void> }>;
  /** Called for a record that could not be removed. */
  onFault(error: unknown): void;
}

export interface IssueDeps<R> {
  store: OrderStore;
  acme: AcmeClient;
  clock: Clock;
  dnsProviders: Pick<DnsProviders, 'found'>;
  challengeRecords: Proving<R>;
  byProgram: ProvingByProgram;
  /** The authority of an order, by its resolver or the settings. */
  authorityOf(order: OrderRecord): Promise<AcmeAuthority>;
}

export interface IssuedPair {
  /** PEM of the leaf and its chain. */
  certificateData: string;
  privateKey: Secret;
}

/** Longer than an attempt may take: afterwards its records are removed by whoever lives. */
export const attemptMs = 15 * 60_000;

export function createIssue<R>(deps: IssueDeps<R>) {
  const { acme, dnsProviders, byProgram } = deps;
  return async (order: OrderRecord, stop: AbortSignal): Promise<IssuedPair> => {
    const provider = await dnsProviders.found(order.dnsProviderId, order.organizationId);
    const authority = await deps.authorityOf(order);
    const accountKey = await accountKeyOf(deps, order.organizationId, authority);
    const privateKey = newKey();
    const signal = AbortSignal.any([stop, AbortSignal.timeout(attemptMs)]);
    const isOneByOne = byProgram.isFor(provider);
    const records = isOneByOne
      ? recordsByProgram(byProgram, provider, accountKey, signal)
      : recordsByBerth(deps.challengeRecords, provider, signal);
    try {
      const { names } = order;
      const certificateData = await acme.issue({
        authority,
        accountKey,
        certificateKey: privateKey,
        names,
        isOneByOne,
        prove: records.prove,
        signal,
      });
      return { certificateData, privateKey };
    } finally {
      await records.remove();
    }
  };
}

interface Records {
  prove(proofs: readonly AcmeProof[]): Promise<void>;
  remove(): Promise<void>;
}

function recordsByBerth<R>(challengeRecords: Proving<R>, provider: Provider, signal: AbortSignal): Records {
  const records: R[] = [];
  return {
    async prove(proofs) {
      for (const { host, text } of proofs)
        records.push(await challengeRecords.set(provider, host, text, attemptMs));
      await challengeRecords.awaitSeen(provider, records, signal);
    },
    remove: () => challengeRecords.remove(records),
  };
}

function recordsByProgram(
  { set, onFault }: ProvingByProgram,
  provider: Provider,
  accountKey: Secret,
  signal: AbortSignal,
): Records {
  let last: { remove(): Promise<void> } | undefined;
  // The certificate may be had although a record could not be removed.
  const remove = async (): Promise<void> => {
    await last?.remove().catch(onFault);
    last = undefined;
  };
  return {
    async prove(proofs) {
      for (const { host, token } of proofs) {
        await remove();
        last = await set(provider, { host, token, accountKey, signal });
      }
    },
    remove,
  };
}

/**
 * Each organization has accounts of its own: authorities remember what an account has proved, and another
 * organization must not be issued a certificate by it.
 */
async function accountKeyOf(
  { store, clock }: Pick<IssueDeps<unknown>, 'store' | 'clock'>,
  organizationId: string,
  { directoryUrl, eab }: AcmeAuthority,
): Promise<Secret> {
  const eabKeyId = eab?.keyId ?? '';
  return store.transaction(async () => {
    const present = await store.accounts.find({ organizationId, directoryUrl, eabKeyId });
    if (present) return new Secret(present.privateKey);
    const key = newKey();
    await store.accounts.insert({
      acmeAccountId: randomId(),
      organizationId,
      directoryUrl,
      eabKeyId,
      privateKey: key.reveal(),
      createdAt: isoTime(clock),
    });
    return key;
  });
}

function newKey(): Secret {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}
