/** Name servers that take dynamic updates (RFC 2136) signed with a shared key (RFC 8945): bind9, Knot. */
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import {
  decodeAnswer,
  nameInUse,
  queryMessage,
  recordChange,
  recordTypes,
  textOfRecord,
  updateMessage,
  type DnsAnswer,
} from '../../../domain/dns/message.ts';
import {
  isSignedBy,
  signMessage,
  tsigAlgorithms,
  tsigErrorOf,
  tsigErrors,
  type TsigKey,
} from '../../../domain/dns/tsig.ts';
import { AppError } from '../../../domain/errors.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import { plainValue, type FoundRecord } from '../../../domain/dns/zone.ts';
import { defineKind, firstZone, recordTtl, type ProviderWay } from './kind.ts';

export const rfc2136 = defineKind({
  label: 'RFC 2136 (bind9, Knot)',
  rights:
    'A TSIG key that may change TXT records of _acme-challenge names alone, in bind9: update-policy { ' +
    'grant KEY name _acme-challenge.example.com. TXT; }; to set records of domains also their A, AAAA and ' +
    'CNAME, and TXT of _berth-owner names: grant KEY zonesub A AAAA CNAME TXT;',
  source: 'https://www.rfc-editor.org/rfc/rfc2136',
  fields: {
    server: z
      .string()
      .min(1)
      .max(260)
      .regex(
        /^(\[[0-9A-Fa-f:.]+\]|[^\s/@:[\]]+)(:\d{1,5})?$/,
        'must be a host or address, with a port or none',
      )
      .describe('Primary name server of the zone: host or host:port (53)'),
    keyName: z
      .string()
      .max(253)
      .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/, 'must be the name of a key, such as berth')
      .describe('Name of the TSIG key'),
    algorithm: z.enum(tsigAlgorithms).default('hmac-sha256'),
    secret: z
      .string()
      .max(1000)
      .regex(
        /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
        'must be base64, as tsig-keygen prints it',
      )
      .describe('The key in base64; never shown'),
  },
  secrets: ['secret'],
  example: {
    server: 'ns1.example.com',
    keyName: 'berth',
    algorithm: 'hmac-sha256',
    secret: 'c2VjcmV0LW9mLXRoZS1rZXktb2YtYmVydGgtb25seQ==',
  },
  origin: ({ server }) => server,
  connect({ server, keyName, algorithm, secret }, way) {
    const at = placeOf(server);
    const key: TsigKey = { name: keyName, algorithm, secret: new Secret(secret) };
    const ask = (message: (id: number) => Buffer): Promise<DnsAnswer> => askSigned(message, { at, key, way });
    const change = async (zone: string, record: ReturnType<typeof recordChange>): Promise<void> => {
      const { code } = await ask((id) => updateMessage(id, zone, [record]));
      if (code !== 0) throw refused(at.host, zone, code);
    };
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const { code, isAuthoritative, answers } = await ask((id) =>
            queryMessage(id, name, recordTypes.SOA),
          );
          const isZone = answers.some(({ type, name: owner }) => type === recordTypes.SOA && owner === name);
          return code === 0 && isAuthoritative && isZone ? { id: name, name } : undefined;
        }),
      async read({ zone, name }) {
        // Answers of a name that is not in use come from a wildcard above it (RFC 2136, 2.4.4).
        const { code } = await ask((id) => updateMessage(id, zone.name, [], [nameInUse(name)]));
        if (code === nxDomain) return [];
        if (code !== 0) throw refused(at.host, zone.name, code);
        const found: FoundRecord[] = [];
        for (const [type, number] of Object.entries(shownTypes)) {
          const { answers } = await ask((id) => queryMessage(id, name, number));
          for (const answer of answers)
            if (answer.type === number && answer.name === name)
              found.push({ type, value: plainValue(type, textOfRecord(answer)) });
        }
        return found;
      },
      add: (record) => change(record.zone.name, recordChange(record, { add: true, ttl: recordTtl })),
      remove: (record) => change(record.zone.name, recordChange(record, { add: false, ttl: 0 })),
    };
  },
});

/** Types that are looked for at a name. */
const { A, AAAA, CNAME, MX, NS, TXT } = recordTypes;
const shownTypes = { A, AAAA, CNAME, MX, NS, TXT };

interface Place {
  host: string;
  port: number;
}

function placeOf(server: string): Place {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(server) ?? [];
  return { host: bracketed ?? plain ?? server, port: Number(port ?? 53) };
}

/** Sends a signed message; the answer is believed only with the signature of the same key. */
async function askSigned(
  message: (id: number) => Buffer,
  { at, key, way }: { at: Place; key: TsigKey; way: ProviderWay },
): Promise<DnsAnswer> {
  const id = randomInt(65_536);
  const signed = signMessage(message(id), key, Math.floor(way.now() / 1000));
  const bytes = await way.exchange(signed.message, at);
  const answer = parsed(bytes, at);
  const error = tsigErrorOf(answer);
  if (error !== undefined && error !== 0) throw badKey(at.host, key, error);
  if (answer.id !== id || !isSignedBy(bytes, answer, { key, mac: signed.mac }))
    throw unsigned(at.host, answer);
  return answer;
}

function parsed(bytes: Buffer, { host, port }: Place): DnsAnswer {
  try {
    return decodeAnswer(bytes);
  } catch (cause) {
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `${host} does not answer as a name server does at port ${port}. Check server of the DNS provider.`,
      { cause },
    );
  }
}

function badKey(host: string, { name, algorithm }: TsigKey, error: number): AppError {
  const sentences: Readonly<Record<number, string>> = {
    [tsigErrors.badKey]:
      `does not know the key ${name} with ${algorithm}. Check keyName and algorithm of the DNS ` + 'provider',
    [tsigErrors.badTime]:
      'refused the time of the signature: its clock and the clock of this machine differ by more than five ' +
      'minutes. Set both by NTP',
  };
  const why =
    sentences[error] ?? `refused the signature of the key ${name}. Check secret of the DNS provider`;
  return new AppError('PRECONDITION_FAILED', `${host} ${why}.`);
}

function unsigned(host: string, { code }: DnsAnswer): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `${host} answered without the signature of the key (${codeName(code)}). Check that server of the DNS ` +
      'provider is the primary name server of the zone and has the key.',
  );
}

function refused(host: string, zone: string, code: number): AppError {
  const hint =
    code === 5 || code === 9
      ? 'the key may not change it. Allow it TXT records of _acme-challenge names, and to set records of ' +
        'domains A, AAAA, CNAME and TXT of theirs, in bind9 by update-policy'
      : 'see the log of the name server';
  return new AppError(
    code === 2 ? 'SERVICE_UNAVAILABLE' : 'PRECONDITION_FAILED',
    `${host} did not take the change of ${zone} (${codeName(code)}): ${hint}.`,
  );
}

const nxDomain = 3;

/** Response codes (RFC 1035, 4.1.1; RFC 2136, 2.2). */
const codeNames: Readonly<Record<number, string>> = {
  0: 'NOERROR',
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  9: 'NOTAUTH',
  10: 'NOTZONE',
};

const codeName = (code: number): string => codeNames[code] ?? `code ${code}`;
