/** TXT records of challenges that a program sets, where Berth itself does not know the provider. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { hideInErrors } from '../../domain/secrets/hide-in-errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { ChallengeProgram, ProgramRecord } from '../../ports/certificates/challenge-program.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChallengeRecords } from './challenge-records.ts';
import { dnsKindOf, settingsOf, type MayRunPrograms } from './dns-provider.ts';
import type { ProgramSettings } from './kinds/kind.ts';
import { dnsKinds } from './kinds/kinds.ts';
import type { DnsProviderRecord, DnsProviderStore } from './store.ts';
import { noted } from './zone-access.ts';

export interface ByProgramDeps {
  store: Pick<DnsProviderStore, 'update'>;
  program: ChallengeProgram;
  mayRunPrograms: MayRunPrograms;
  zoneFor: ChallengeRecords['zoneFor'];
  /** Setting dnsResolver; null: the machine's own. */
  resolver(): Promise<string | null>;
  clock: Clock;
}

export interface ProgramProof {
  host: string;
  token: string;
  accountKey: Secret;
  signal: AbortSignal;
}

export interface ByProgram {
  set(provider: DnsProviderRecord, proof: ProgramProof): Promise<ProgramRecord>;
  /** Sets a record and removes it. */
  test(provider: DnsProviderRecord, host: string): Promise<{ zone: string; name: string }>;
}

export function createByProgram(deps: ByProgramDeps): ByProgram {
  const set: ByProgram['set'] = (provider, proof) =>
    noted(deps, provider, async () => {
      await deps.mayRunPrograms(provider.organizationId);
      const settings = settingsFor(provider);
      const by = { organizationId: provider.organizationId };
      const shown = Object.entries(settings.environment).map(([name, value]) => [name, value.reveal()]);
      const hiding = <T>(work: () => Promise<T>): Promise<T> =>
        hideInErrors(Object.fromEntries(shown), Object.keys(settings.environment), work);
      const record = await hiding(async () =>
        deps.program.set({ ...settings, ...proof, resolver: await deps.resolver(), by }),
      );
      return { remove: () => hiding(() => record.remove()) };
    });
  return {
    set,
    async test(provider, host) {
      const zone = await deps.zoneFor(provider, host);
      if (!zone) throw otherZones(provider, host);
      const record = await set(provider, {
        host,
        token: randomBytes(24).toString('base64url'),
        accountKey: keyOfNobody(),
        signal: AbortSignal.timeout(testMs),
      });
      await record.remove();
      return { zone: zone.name, name: `_acme-challenge.${host}` };
    },
  };
}

const testMs = 120_000;

function settingsFor(provider: DnsProviderRecord): ProgramSettings {
  const { label, program } = dnsKinds[dnsKindOf(provider)];
  const settings = program?.(settingsOf(provider));
  if (settings) return settings;
  throw new AppError('INTERNAL_SERVER_ERROR', `${label} is no program.`);
}

function keyOfNobody(): Secret {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}

function otherZones({ name, ...provider }: DnsProviderRecord, host: string): AppError {
  const { label } = dnsKinds[dnsKindOf(provider)];
  return new AppError(
    'PRECONDITION_FAILED',
    `The DNS provider ${name} (${label}) is not said to serve the zone of _acme-challenge.${host}, or of ` +
      'the name that its CNAME leads to. Add the zone to its zones with dnsProvider.update.',
  );
}
