/** Images by their bytes, from one engine to another (engine API, "Export an image", "Import images"). */
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import { progressLine } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { textOf } from '../client/engine-http.ts';
import { isAbsent } from '../client/engine-error.ts';
import { imagePath } from '../client/image-reference.ts';

const layeredImage = z.looseObject({
  Id: z.string(),
  RootFS: z.looseObject({ Layers: z.array(z.string()).nullish() }),
});

export interface LayeredImage {
  id: string;
  /** Digests of its layers' archives, lowest first. */
  diffIds: string[];
}

/** Undefined when the engine does not have it. */
export async function layersOf(client: EngineClient, reference: string): Promise<LayeredImage | undefined> {
  try {
    const image = await client.call(
      { method: 'GET', path: `${imagePath(reference)}/json`, doing: `reading the image ${reference}` },
      layeredImage,
    );
    return { id: image.Id, diffIds: image.RootFS.Layers ?? [] };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** The image as an archive. An engine first writes it down as a whole. */
export function saveImage(client: EngineClient, reference: string, signal: AbortSignal): Promise<Readable> {
  return client.open({
    method: 'GET',
    path: `${imagePath(reference)}/get`,
    doing: `exporting the image ${reference}`,
    limitMs: 10 * 60_000,
    signal,
  });
}

/** Loads an archive of images; throws what the archive throws, and the engine's words when it refuses. */
export function loadImage(
  socketPath: string,
  archive: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  return openIntake(socketPath).take(archive, signal);
}

/** An engine that was told that an archive of images comes. Either of these, once. */
export interface Intake {
  /** Sends the archive, which goes on from what was sent before; throws as `loadImage`. */
  take(archive: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Ends the archive with these bytes, and its connection soon after; nobody hears what becomes of it. */
  end(bytes: Uint8Array): void;
  /** Whether the engine is still there to take it. */
  isOpen(): boolean;
}

/** Characters that are read of an engine's answer to an archive. */
const answerLimit = 1024 * 1024;
/** So long an engine has for its answer to an archive that nobody waits for. */
const endLimitMs = 30_000;

/**
 * Begins to load an archive with its first bytes, at least ten. With them the engine starts the program that
 * unpacks it, which takes longer than a small image does (measured on 20.10: 29 ms of 65).
 */
export function openIntake(socketPath: string, beginning?: Uint8Array): Intake {
  const call = request({
    socketPath,
    method: 'POST',
    path: '/images/load?quiet=1',
    headers: { 'content-type': 'application/x-tar' },
  });
  let isOpen = true;
  const answered = new Promise<string>((resolve, reject) => {
    call.once('response', (response) => {
      isOpen = false;
      textOf(response, answerLimit).then((body) => resolve(wordsOf(response.statusCode ?? 0, body)), reject);
    });
    call.on('error', (error) => {
      isOpen = false;
      reject(error);
    });
  });
  // Whoever takes sees the failure; nobody may be there yet when it comes, or ever.
  answered.catch(() => undefined);
  if (beginning) call.write(beginning);
  return {
    async take(archive, signal) {
      const stop = (): void => void call.destroy();
      signal.addEventListener('abort', stop, { once: true });
      try {
        signal.throwIfAborted();
        // Whichever fails first says why: the other fails with it.
        const [sent, answer] = await Promise.allSettled([pipeline(Readable.from(archive), call), answered]);
        signal.throwIfAborted();
        if (sent.status === 'rejected' && sent.reason instanceof AppError) throw sent.reason;
        const refusal = answer.status === 'fulfilled' ? answer.value : String(answer.reason);
        if (refusal !== '')
          throw new AppError('SERVICE_UNAVAILABLE', `The engine did not take the image over: ${refusal}`);
      } finally {
        signal.removeEventListener('abort', stop);
        if (signal.aborted) stop();
      }
    },
    end(bytes) {
      call.setTimeout(endLimitMs, () => call.destroy());
      call.end(bytes);
    },
    isOpen: () => isOpen,
  };
}

/** Empty when it was loaded. */
function wordsOf(status: number, body: string): string {
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines) {
    const progress = progressLine.safeParse(parsed(line));
    const words = progress.data?.errorDetail?.message ?? progress.data?.error;
    if (words !== undefined) return words;
  }
  return status === 200 ? '' : `${status}: ${body.slice(0, 500)}`;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
