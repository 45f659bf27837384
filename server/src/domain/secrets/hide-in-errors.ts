import { AppError, sentenceOf } from '../errors.ts';
import { createRedactor } from './redactor.ts';

/**
 * The result of the work; the sentences of its AppErrors are without the secrets of these settings, which are
 * the texts under `names`.
 */
export async function hideInErrors<T>(
  settings: Readonly<Record<string, unknown>>,
  names: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, retryAfterMs } = error;
    const secrets = names.flatMap((name) => {
      const value = settings[name];
      return typeof value === 'string' ? [value] : [];
    });
    throw new AppError(code, createRedactor(secrets)(sentenceOf(error)), {
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}
