/** Names resolved and judged, and what is said of those that are refused or do not answer. */
import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { AppError } from '../../domain/errors.ts';
import { judgeAddress, parseOutgoingHost, type OutgoingPolicy } from '../../domain/network/outgoing.ts';
import type { ConnectFailure, JudgedHost } from '../../ports/outgoing.ts';

/** The addresses of a name, as every program of this machine gets them; none when nobody has it. */
export type LookUp = (name: string) => Promise<string[]>;

const lookUpLimitMs = 10_000;

export const systemLookUp: LookUp = async (name) => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('The resolver gave no answer.')), lookUpLimitMs);
  try {
    const found = await Promise.race([lookup(name, { all: true, hints: ADDRCONFIG }), late.promise]);
    return found.map(({ address }) => address);
  } finally {
    clearTimeout(timer);
  }
};

export async function judgeHost(
  text: string,
  policy: OutgoingPolicy,
  lookUp: LookUp,
  port?: number,
): Promise<JudgedHost> {
  const parsed = parseOutgoingHost(text);
  if (parsed === undefined)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${shown(text)} is not a host name or IP address. Correct the address.`,
    );
  const { host } = parsed;
  const found = parsed.kind === 'address' ? [host] : await resolved(host, lookUp);
  const judged = found.map((address) => ({ address, ...judgeAddress(address, policy, port) }));
  const [first, ...others] = judged.filter(({ refusal }) => refusal === undefined);
  if (first === undefined) throw refusal(host, judged[0], policy);
  const open = [first, ...others];
  const isScreened = !policy.reachesPrivate && open.some(({ kind }) => kind !== 'public');
  return {
    host,
    addresses: [first.address, ...others.map(({ address }) => address)],
    isNamed: open.every(({ isNamed }) => isNamed),
    isScreened,
    fault: (failure) =>
      isScreened ? outOfReach(host) : new AppError('SERVICE_UNAVAILABLE', failureSentences[failure](host)),
  };
}

async function resolved(name: string, lookUp: LookUp): Promise<string[]> {
  const found = await lookUp(name).catch((cause: unknown) => {
    throw new AppError('SERVICE_UNAVAILABLE', unresolved(name), { cause });
  });
  if (found.length > 0) return found;
  throw new AppError('SERVICE_UNAVAILABLE', unresolved(name));
}

const unresolved = (name: string): string =>
  `The host ${name} did not resolve to an address; check its spelling and this server's name resolution.`;

const failureSentences: Record<ConnectFailure, (host: string) => string> = {
  refused: (host) => `${host} cannot be reached: it refused the connection. Check the address and the port.`,
  silent: (host) =>
    `${host} cannot be reached: it does not answer. Check the address, the port and the firewall between ` +
    'here and there.',
  other: (host) =>
    `${host} cannot be reached, or not over a connection that can be trusted. Check the address, its ` +
    'certificate and the network between here and there.',
};

interface Refused {
  address: string;
  refusal: string | undefined;
}

function refusal(host: string, refused: Refused | undefined, policy: OutgoingPolicy): AppError {
  if (!policy.reachesPrivate) return outOfReach(host);
  const { address = host, refusal: why = 'has no address' } = refused ?? {};
  return new AppError(
    'PRECONDITION_FAILED',
    `${address === host ? host : `${host} leads to ${address}, which`} ${why}, and Berth does not connect ` +
      'there. Private and loopback networks are opened by the setting allowedPrivateNetworks.',
  );
}

/** One sentence for all of it: whoever asks must not learn from it what is behind the address. */
function outOfReach(host: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `${host} cannot be reached: it did not answer in time or refused the connection, or its address ` +
      'is not public and not open to this organization. Check the address and the port; for a private ' +
      'address, ask the Owner of the installation to name its network in the setting allowedPrivateNetworks.',
  );
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
