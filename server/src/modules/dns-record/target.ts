/** Where the records of a name have to lead: the public address of a server, or its name. */
import { isIP, isIPv6 } from 'node:net';
import { AppError } from '../../domain/errors.ts';
import type { Lookup } from '../../ports/name-resolver.ts';
import type { FoundRecord } from '../../domain/dns/zone.ts';
import { plainValue } from '../../domain/dns/zone.ts';
import { longestTarget, type Leading } from './plan.ts';

export interface Wanted {
  wanted: Leading[];
  /** The names among CNAME records that lead to the server. */
  leadingHere(records: readonly FoundRecord[]): Promise<string[]>;
}

/** Throws PRECONDITION_FAILED for a server whose address nobody knows. */
export type Target = (serverKey: string, at: { name: string; zone: string }) => Promise<Wanted>;

export const nothingWanted: Wanted = { wanted: [], leadingHere: async () => [] };

export interface TargetDeps {
  /** IP address or host name of a server; null while nobody told it. */
  addressOf(serverKey: string): Promise<string | null>;
  lookUp(host: string): Promise<Lookup>;
}

export function createTarget({ addressOf, lookUp }: TargetDeps): Target {
  return async (serverKey, { name, zone }) => {
    const address = (await addressOf(serverKey))?.toLowerCase().replace(/\.$/, '');
    if (!address) throw unknownAddress();
    if (address === name) throw ownName(name);
    const { addresses, fault } =
      isIP(address) === 0 ? await lookUp(address) : { addresses: [address], fault: undefined };
    const [first] = addresses;
    if (first === undefined) throw withoutAddress(address, fault);
    // An apex has other records beside it, so it cannot be a CNAME (RFC 1034, 3.6.2).
    const isAlias = isIP(address) === 0 && name !== zone && address.length <= longestTarget;
    return {
      wanted: isAlias ? [{ type: 'CNAME', value: address }] : addresses.map(recordOf),
      async leadingHere(records) {
        const names = records.flatMap(({ type, value }) => (type === 'CNAME' ? [value] : []));
        const found = await Promise.all(names.slice(0, 1).map(lookUp));
        return names.filter((_name, index) =>
          found[index]?.addresses.some((each) => addresses.includes(each)),
        );
      },
    };
  };
}

const recordOf = (address: string): Leading => {
  const type = isIPv6(address) ? 'AAAA' : 'A';
  return { type, value: plainValue(type, address) };
};

function unknownAddress(): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    'The address of this machine is not known, so no record can lead to it. Set serverIp with ' +
      'settings.update first.',
  );
}

function ownName(name: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `${name} is the address by which Berth knows the server itself, so its record is not Berth's to set. ` +
      'Give the server its IP address with server.update, or choose another host.',
  );
}

function withoutAddress(address: string, fault: string | undefined): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The address of the server, ${address}, leads nowhere: ${fault ?? 'the name has no address'}. Give the ` +
      'server an IP address with server.update, or add a record for the name.',
  );
}

/** Says which record a person has to set, where no DNS provider serves the zone. */
export async function noProvider(
  target: Target,
  { name, serverKey }: { name: string; serverKey: string },
  fault: AppError | undefined,
): Promise<AppError> {
  const { wanted } = await target(serverKey, { name, zone: name }).catch(() => nothingWanted);
  const byHand = wanted.map(({ type, value }) => `${name} ${type} ${value}`).join(', ');
  const why = fault
    ? `The DNS provider could not be asked: ${fault.message}`
    : `No DNS provider of this organization serves the zone of ${name}. Add one with dnsProvider.create.`;
  return new AppError(
    'PRECONDITION_FAILED',
    byHand === '' ? why : `${why} Or set the record where the zone is served: ${byHand}`,
  );
}
