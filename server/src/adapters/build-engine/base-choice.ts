/** Which base image a build of Berth's own builder begins from: a registry's, or the one that set-up made. */
import { AppError } from '../../domain/errors.ts';
import type { EngineClient } from '../engine/client/engine-client.ts';
import { askRegistry } from '../engine/images/image-transfer.ts';
import { findImage } from '../engine/images/images.ts';

export interface BaseChoice {
  /** See `BuildEngine.baseFor`. */
  choose(image: { official: string; ours: string }, signal: AbortSignal): Promise<string>;
}

export interface BaseChoiceOptions {
  host: EngineClient;
  builder: EngineClient;
  /** Whether an image of the host's engine may be used by everybody. */
  isShared(reference: string): Promise<boolean>;
}

/** A registry that is there answers in well under this. */
const answerLimitMs = 10_000;
/** So long no build asks again after a registry that did not answer. */
const silentMs = 10 * 60_000;

/** The registry is asked only where its answer decides something: where the host has an image of set-up. */
export function createBaseChoice({ host, builder, isShared }: BaseChoiceOptions): BaseChoice {
  let silentUntil = 0;
  return {
    async choose({ official, ours }, signal) {
      if ((await findImage(host, ours)) === undefined) return official;
      if ((await findImage(builder, official)) !== undefined) return official;
      if ((await isShared(official)) && (await findImage(host, official)) !== undefined) return official;
      if (performance.now() < silentUntil) return ours;
      try {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(answerLimitMs)]);
        await askRegistry(builder, official, { auth: undefined, signal: limited });
        return official;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError && error.code === 'NOT_FOUND') return official;
        silentUntil = performance.now() + silentMs;
        return ours;
      }
    },
  };
}
