/** Waiting until every name server of a zone has a record: authorities ask any of them. */
import { isIPv6 } from 'node:net';
import { AppError } from '../../domain/errors.ts';
import type { NameResolver } from '../../ports/name-resolver.ts';
import type { Outgoing, OutgoingBy } from '../../ports/outgoing.ts';
import { waitUntil } from '../../ports/wait-until.ts';

export interface ExpectedText {
  name: string;
  text: string;
  zone: string;
}

/** Address and port at which a name server is asked, from its IP address. */
export type NameServerAddress = (address: string) => string;

interface PropagationDeps {
  names: Pick<NameResolver, 'records'>;
  outgoing: Pick<Outgoing, 'judge'>;
  resolver(): Promise<string | null>;
  nameServerAddress?: NameServerAddress;
}

export type AwaitSeen = (
  texts: readonly ExpectedText[],
  by: OutgoingBy,
  signal: AbortSignal,
  limitMs?: number,
) => Promise<void>;

const usualLimitMs = 5 * 60_000;
const everyMs = 2000;
const port53: NameServerAddress = (address) => (isIPv6(address) ? `[${address}]:53` : `${address}:53`);

export function createPropagation({
  names,
  outgoing,
  resolver,
  nameServerAddress = port53,
}: PropagationDeps): AwaitSeen {
  /** Name servers that can be asked, each with one address; the resolver where none can. */
  async function serversOf(zone: string, by: OutgoingBy): Promise<Map<string, string | null>> {
    const { found } = await names.records('NS', zone, await resolver());
    const reached = await Promise.all(
      found.map(async (host): Promise<[string, string][]> => {
        const judged = await outgoing.judge(host, by, 53).catch(() => undefined);
        return judged ? [[host, nameServerAddress(judged.addresses[0])]] : [];
      }),
    );
    const servers = reached.flat();
    return new Map<string, string | null>(
      servers.length > 0 ? servers : [['the resolver', await resolver()]],
    );
  }
  /** Name servers that answer and do not have the text. */
  async function without({ name, text, zone }: ExpectedText, by: OutgoingBy): Promise<string[]> {
    const asked = [...(await serversOf(zone, by))].map(async ([host, address]) => {
      const { found, fault } = await names.records('TXT', name, address);
      return { host, has: found.includes(text), isSilent: fault !== undefined };
    });
    const answers = await Promise.all(asked);
    const answering = answers.filter(({ isSilent }) => !isSilent);
    // One that does not answer holds nobody up, unless none does.
    const counted = answering.length > 0 ? answering : answers;
    return counted.filter(({ has }) => !has).map(({ host }) => host);
  }
  return async (texts, by, signal, limitMs = usualLimitMs) => {
    let missing: { name: string; hosts: string[] }[] = [];
    const look = async (): Promise<true | undefined> => {
      const looked = await Promise.all(
        texts.map(async (text) => ({ name: text.name, hosts: await without(text, by) })),
      );
      missing = looked.filter(({ hosts }) => hosts.length > 0);
      return missing.length === 0 ? true : undefined;
    };
    if (await waitUntil(look, { everyMs, limitMs, signal })) return;
    const [first = { name: '', hosts: [] }] = missing;
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The TXT record at ${first.name} was set, but ${first.hosts.join(', ')} did not have it after ` +
        `${Math.round(limitMs / 1000)} seconds. Either the provider is slow, or the zone is delegated to ` +
        'other name servers than its own (NS records). It is tried again automatically.',
    );
  };
}
