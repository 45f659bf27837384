import { AppError } from '../../domain/errors.ts';
import type { Engine } from './engine.ts';

const limitMs = 90_000;
const pollMs = 250;

/** A container that was told to stop still uses its volume until it has. */
export async function removeWhenFree(engine: Pick<Engine, 'removeVolume'>, volume: string): Promise<void> {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      return await engine.removeVolume(volume);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CONFLICT') || Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
