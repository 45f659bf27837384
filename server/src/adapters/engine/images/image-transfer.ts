import { createInterface } from 'node:readline';
import { AppError } from '../../../domain/errors.ts';
import type { ErrorCode } from '../../../domain/errors.ts';
import type { ImageTransfer } from '../../../ports/engine/engine-image.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import { isPlatformImage } from '../../../domain/names/image-reference.ts';
import { distributionAnswer, progressLine } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import type { EngineRequest } from '../client/engine-request.ts';
import { EngineRefusal, unresolvedSentence } from '../client/engine-error.ts';
import { imagePath, parseImageReference } from '../client/image-reference.ts';
import { missingPlatformImage } from './platform-image.ts';

/** The registry's head of an answer may take as long as its own time-outs. */
const headLimitMs = 120_000;

/** A push needs the header even without credentials. */
const anonymous = { username: '', password: new Secret(''), serverAddress: '' };

/** Pulls one tag or digest. Throws AppError with the registry's words; aborting ends it. */
export async function pullImage(
  client: EngineClient,
  reference: string,
  options: ImageTransfer,
  isOwnImage = isPlatformImage,
): Promise<void> {
  if (isOwnImage(reference)) throw missingPlatformImage(reference);
  const { repository, tag } = parseImageReference(reference);
  const query = { fromImage: repository, tag };
  await transfer(
    client,
    {
      method: 'POST',
      path: '/images/create',
      query,
      auth: options.auth,
      doing: `pulling the image ${reference}`,
    },
    options,
  );
}

/** Pushes one tag. Throws AppError with the registry's words; aborting ends it. */
export async function pushImage(
  client: EngineClient,
  reference: string,
  options: ImageTransfer,
): Promise<void> {
  const { repository, tag } = parseImageReference(reference);
  const path = `${imagePath(repository)}/push`;
  await transfer(
    client,
    {
      method: 'POST',
      path,
      query: { tag },
      auth: options.auth ?? anonymous,
      doing: `pushing the image ${reference}`,
    },
    options,
  );
}

/**
 * Digest of what the registry has under the reference (engine API, "Get image information from the
 * registry"). Throws AppError with the registry's words; aborting ends it.
 */
export async function askRegistry(
  client: EngineClient,
  reference: string,
  { auth, signal }: Omit<ImageTransfer, 'onLine'>,
  isOwnImage = isPlatformImage,
): Promise<string> {
  if (isOwnImage(reference)) throw missingPlatformImage(reference);
  const doing = `asking for the image ${reference}`;
  const path = `/distribution/${imagePath(reference).slice('/images/'.length)}/json`;
  try {
    const request = { method: 'GET', path, auth, doing, signal, limitMs: headLimitMs } as const;
    return (await client.call(request, distributionAnswer)).Descriptor.digest;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof EngineRefusal ? registryError(doing, error.words, error) : error;
  }
}

async function transfer(client: EngineClient, request: EngineRequest, options: ImageTransfer): Promise<void> {
  try {
    const body = await client.open({ ...request, signal: options.signal, limitMs: headLimitMs });
    for await (const line of createInterface({ input: body, crlfDelay: Infinity }))
      report(request.doing, line, options);
    options.signal.throwIfAborted();
  } catch (error) {
    options.signal.throwIfAborted();
    throw error instanceof EngineRefusal ? registryError(request.doing, error.words, error) : error;
  }
}

/** Passes on what a person wants to read: not the progress bars, of which there are thousands. */
function report(doing: string, line: string, options: ImageTransfer): void {
  if (line.trim() === '') return;
  const progress = progressLine.parse(JSON.parse(line));
  const failure = progress.errorDetail?.message ?? progress.error;
  if (failure !== undefined) throw registryError(doing, failure);
  const { id, status } = progress;
  if (
    status === undefined ||
    ('progressDetail' in progress && Object.keys(Object(progress['progressDetail'])).length > 0)
  )
    return;
  options.onLine(id === undefined ? status : `${id}: ${status}`);
}

function registryError(doing: string, words: string, cause?: unknown): AppError {
  const unresolved = unresolvedSentence(doing, words);
  if (unresolved !== undefined) return new AppError('SERVICE_UNAVAILABLE', unresolved, { cause });
  return new AppError(codeOfWords(words), `The registry refused ${doing}: ${words}`, { cause });
}

/** A registry's refusals come as text only, whatever the cause. */
function codeOfWords(words: string): ErrorCode {
  if (/unauthorized|denied|forbidden|authentication required|no basic auth/i.test(words)) return 'FORBIDDEN';
  if (/not found|manifest unknown|does not exist|no such image/i.test(words)) return 'NOT_FOUND';
  if (/invalid reference|invalid tag|repository name/i.test(words)) return 'BAD_REQUEST';
  return 'SERVICE_UNAVAILABLE';
}
