/** Certificates from ACME authorities (RFC 8555), proved by DNS alone. */
import type { z } from 'zod';
import { explainProblem } from '../../domain/certificates/acme-problem.ts';
import { certificateRequest } from '../../domain/certificates/csr.ts';
import { jwsKey, type JwsKey } from '../../domain/certificates/jws.ts';
import { AppError } from '../../domain/errors.ts';
import type { AcmeAuthority, AcmeClient, AcmeOrder, AcmeProof } from '../../ports/certificates/acme.ts';
import { waitUntil } from '../../ports/wait-until.ts';
import { acmeAccount, acmeAuthorization, acmeChallenge, acmeOrder } from './acme-shapes.ts';
import { AcmeRefusal, openWire, type AcmeAnswer, type AcmeWire, type WirePorts } from './acme-wire.ts';

type Authorization = z.infer<typeof acmeAuthorization>;
type Challenge = z.infer<typeof acmeChallenge>;
type Order = z.infer<typeof acmeOrder>;

/** Milliseconds for an authority's checks, and for its signature. */
const answerMs = 120_000;

export function createAcmeClient(ports: WirePorts): AcmeClient {
  return {
    async issue({ authority, accountKey, certificateKey, names, isOneByOne, prove, signal }) {
      const key = jwsKey(accountKey);
      const [first = ''] = names;
      const wire = await openWire(ports, authority, key);
      const says = inSentences(first);
      await says(openAccount(wire, authority, key));
      const { found: order, location } = await says(
        wire.post(acmeOrder, wire.directory.newOrder, {
          identifiers: names.map((value) => ({ type: 'dns', value })),
        }),
      );
      await proveAll(wire, order, { key, isOneByOne, prove, signal });
      const csr = certificateRequest(names, certificateKey).toString('base64url');
      await says(wire.post(acmeOrder, order.finalize, { csr }));
      const signed = await says(
        awaited(() => wire.post(acmeOrder, location ?? '', undefined), isSettled, signal),
      );
      if (signed?.status !== 'valid' || signed.certificate === undefined)
        throw signed?.error
          ? await says(Promise.reject<AppError>(new AcmeRefusal(signed.error, undefined)))
          : slow(authority);
      return says(wire.postForText(signed.certificate));
    },
  };
}

async function openAccount(wire: AcmeWire, { email, eab }: AcmeAuthority, key: JwsKey): Promise<void> {
  const { newAccount } = wire.directory;
  const { location } = await wire.post(acmeAccount, newAccount, {
    termsOfServiceAgreed: true,
    ...(email === null ? {} : { contact: [`mailto:${email}`] }),
    ...(eab === null ? {} : { externalAccountBinding: key.bind(newAccount, eab.keyId, eab.hmacKey) }),
  });
  if (location !== undefined) wire.useAccount(location);
}

/**
 * All records are set before the first of them is looked at, unless one by one is wanted: a wildcard and its
 * apex share a name.
 */
async function proveAll(
  wire: AcmeWire,
  { authorizations }: Order,
  { key, isOneByOne, prove, signal }: Pick<AcmeOrder, 'isOneByOne' | 'prove' | 'signal'> & { key: JwsKey },
): Promise<void> {
  const open: OpenProof[] = [];
  for (const url of authorizations) {
    const { found } = await inSentences('the names')(wire.post(acmeAuthorization, url, undefined));
    if (found.status === 'valid') continue;
    const challenge = challengeOf(found);
    const token = challenge.token ?? '';
    open.push({
      url,
      challenge,
      proof: { host: found.identifier.value, token, text: key.challengeText(token) },
    });
  }
  if (open.length === 0) return;
  for (const together of isOneByOne ? open.map((each) => [each]) : [open]) {
    await prove(together.map(({ proof }) => proof));
    await checkAll(wire, together, signal);
  }
}

interface OpenProof {
  url: string;
  challenge: Challenge;
  proof: AcmeProof;
}

async function checkAll(wire: AcmeWire, open: readonly OpenProof[], signal: AbortSignal): Promise<void> {
  for (const { url, challenge, proof } of open) {
    const { host } = proof;
    const says = inSentences(host);
    await says(wire.post(acmeChallenge, challenge.url, {}));
    const seen = await says(awaited(() => wire.post(acmeAuthorization, url, undefined), isJudged, signal));
    if (seen?.status === 'valid') continue;
    const { error } = seen?.challenges.find(({ type }) => type === 'dns-01') ?? {};
    await says(Promise.reject(new AcmeRefusal(error ?? noReason, undefined)));
  }
}

const noReason = { type: '', detail: 'the check of the TXT record did not end in time' };

function challengeOf({ challenges, identifier }: Authorization): Challenge {
  const found = challenges.find(({ type, token }) => type === 'dns-01' && token !== undefined);
  if (found) return found;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The certificate authority does not check ${identifier.value} by DNS. Choose another authority.`,
  );
}

const isSettled = ({ status }: Order): boolean => status === 'valid' || status === 'invalid';
const isJudged = ({ status }: Authorization): boolean => status !== 'pending' && status !== 'processing';

/** Asks again until the answer is final; undefined when the authority takes too long. */
function awaited<T>(
  ask: () => Promise<AcmeAnswer<T>>,
  isOver: (found: T) => boolean,
  signal: AbortSignal,
): Promise<T | undefined> {
  const look = async (): Promise<T | undefined> => {
    const { found } = await ask();
    return isOver(found) ? found : undefined;
  };
  return waitUntil(look, { everyMs: 1000, limitMs: answerMs, signal });
}

/** Refusals of the authority become sentences about the host that they concern. */
function inSentences(host: string): <T>(work: Promise<T>) => Promise<T> {
  return (work) =>
    work.catch((error: unknown) => {
      if (!(error instanceof AcmeRefusal)) throw error;
      const { problem, retryAfterMs } = error;
      throw new AppError(
        problem.type.endsWith(':serverInternal') ? 'SERVICE_UNAVAILABLE' : 'PRECONDITION_FAILED',
        explainProblem(problem, host.replace(/^\*\./, ''), 'dns-01'),
        { cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
      );
    });
}

function slow({ directoryUrl }: AcmeAuthority): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The certificate authority at ${new URL(directoryUrl).host} did not sign within two minutes. It is ` +
      'asked again automatically.',
  );
}
