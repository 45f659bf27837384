/**
 * TXT records below `_acme-challenge` names: found, set, waited for, and removed again. Each is written down
 * before it is set, so that it is removed even after a crash.
 */
import { randomBytes } from 'node:crypto';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { NameResolver } from '../../ports/name-resolver.ts';
import type { Outgoing } from '../../ports/outgoing.ts';
import { dnsKindOf } from './dns-provider.ts';
import { dnsKinds } from './kinds/kinds.ts';
import { candidatesOf, zoneAgainMs, type Zone, type ZoneAccess } from '../../domain/dns/zone.ts';
import { createPropagation, type NameServerAddress } from './propagation.ts';
import type { DnsChallengeRecord, DnsProviderRecord, DnsProviderStore } from './store.ts';
import { createConnect, noted, type Connect } from './zone-access.ts';

export interface ChallengeDeps {
  store: DnsProviderStore;
  outgoing: Pick<Outgoing, 'request' | 'exchange' | 'judge'>;
  names: Pick<NameResolver, 'records'>;
  /** Setting dnsResolver; null: the machine's own. */
  resolver(): Promise<string | null>;
  clock: Clock;
  /** Address at which a name server is asked; its port 53 unless given. */
  nameServerAddress?: NameServerAddress;
  /** Called for records that could not be removed and are tried again. */
  onFault(error: unknown): void;
}

export interface SetRecord {
  record: DnsChallengeRecord;
  zone: Zone;
}

export interface ChallengeRecords {
  /**
   * Sets a text at `_acme-challenge.<host>`, or where a CNAME of that name leads. `holdMs`: after that time
   * it is removed by `sweep`, whatever becomes of this process.
   */
  set(provider: DnsProviderRecord, host: string, text: string, holdMs: number): Promise<SetRecord>;
  /** Resolves when the name servers of the zone have the texts; throws when they do not in time. */
  awaitSeen(provider: DnsProviderRecord, records: readonly SetRecord[], signal: AbortSignal): Promise<void>;
  /** Removes what was set; what cannot be removed now is tried again by `sweep`. */
  remove(records: readonly SetRecord[]): Promise<void>;
  /** The zone of the provider in which records of `_acme-challenge.<host>` stand; undefined without one. */
  zoneFor(provider: DnsProviderRecord, host: string): Promise<Zone | undefined>;
  /** Sets a record and removes it, and writes down how it went. */
  test(provider: DnsProviderRecord, host: string): Promise<{ zone: string; name: string }>;
  /** Removes records that are due. */
  sweep(): Promise<void>;
}

const testHoldMs = 120_000;
const mostAliases = 8;

export function createChallengeRecords(deps: ChallengeDeps): ChallengeRecords {
  const { store, clock } = deps;
  const connect = createConnect(deps);
  const propagation = createPropagation(deps);
  const forget = createForget(deps, connect);

  const set: ChallengeRecords['set'] = (provider, host, text, holdMs) =>
    noted(deps, provider, async () => {
      const access = connect(provider);
      const name = await followed(deps, `_acme-challenge.${host}`);
      const zone = await zoneOf(access, provider, { host, name });
      const record: DnsChallengeRecord = {
        dnsChallengeId: randomId(),
        organizationId: provider.organizationId,
        dnsProviderId: provider.dnsProviderId,
        name,
        text,
        attempts: 0,
        removeAt: clock.now() + holdMs,
        createdAt: isoTime(clock),
      };
      await store.challenges.insert(record);
      await access.add({ zone, name, type: 'TXT', value: text }).catch(async (error: unknown) => {
        // An answer that was lost may stand for a record that was set.
        await forget(record, zone);
        throw error;
      });
      return { record, zone };
    });

  return {
    set,
    awaitSeen: (provider, records, signal) =>
      propagation(
        records.map(({ record: { name, text }, zone }) => ({ name, text, zone: zone.name })),
        { organizationId: provider.organizationId },
        signal,
      ),
    async remove(records) {
      for (const { record, zone } of records) await forget(record, zone);
    },
    async test(provider, host) {
      const made = await set(
        provider,
        host,
        `berth-test-${randomBytes(9).toString('base64url')}`,
        testHoldMs,
      );
      const fault = await forget(made.record, made.zone);
      if (fault) throw fault;
      return { zone: made.zone.name, name: made.record.name };
    },
    zoneFor: (provider, host) =>
      noted(deps, provider, async () =>
        connect(provider).find(candidatesOf(await followed(deps, `_acme-challenge.${host}`))),
      ),
    async sweep() {
      for (const record of await store.dueChallenges(clock.now())) await forget(record, undefined);
    },
  };
}

/**
 * Removes a record at its provider and forgets it; resolves with what failed, after which it is tried again
 * later. One whose provider is gone is forgotten.
 */
function createForget({ store, clock, onFault }: ChallengeDeps, connect: Connect) {
  return async (record: DnsChallengeRecord, known: Zone | undefined): Promise<Error | undefined> => {
    const { dnsChallengeId, dnsProviderId, organizationId, name, text, attempts } = record;
    try {
      const provider = await store.find({ dnsProviderId, organizationId });
      if (provider) {
        const access = connect(provider);
        const zone = known ?? (await access.find(candidatesOf(name)));
        // Without its zone the record is gone as well.
        if (zone) await access.remove({ zone, name, type: 'TXT', value: text });
      }
      await store.challenges.remove({ dnsChallengeId });
      return undefined;
    } catch (error) {
      const removeAt = clock.now() + zoneAgainMs(attempts);
      await store.challenges.update({ dnsChallengeId }, { attempts: attempts + 1, removeAt });
      onFault(error);
      return error instanceof Error ? error : new Error(sentenceOf(error));
    }
  };
}

/** Where the authority will look: a CNAME hands the name over to another zone (RFC 8555, 8.4). */
async function followed({ names, resolver }: ChallengeDeps, start: string): Promise<string> {
  let name = start;
  for (let count = 0; count < mostAliases; count += 1) {
    const [target] = (await names.records('CNAME', name, await resolver())).found;
    if (target === undefined) return name;
    name = target.toLowerCase().replace(/\.$/, '');
  }
  throw new AppError(
    'PRECONDITION_FAILED',
    `The CNAME records of ${start} lead through more than ${mostAliases} names, or in a circle. Correct ` +
      'them at the DNS provider.',
  );
}

async function zoneOf(
  access: ZoneAccess,
  { name: providerName, ...provider }: DnsProviderRecord,
  { host, name }: { host: string; name: string },
): Promise<Zone> {
  const zone = await access.find(candidatesOf(name));
  if (zone) return zone;
  const { label, rights } = dnsKinds[dnsKindOf(provider)];
  const alias = name === `_acme-challenge.${host}` ? '' : `, to which a CNAME leads from ${host},`;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The DNS provider ${providerName} (${label}) serves no zone of ${name}${alias} or does not show it to ` +
      `this credential. It needs: ${rights}.`,
  );
}
