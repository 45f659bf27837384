import { AppError } from '../../domain/errors.ts';
import type { Engine } from './engine.ts';
import { waitUntilSo } from '../wait-until.ts';

const limitMs = 90_000;
const pollMs = 250;

/** A container that was told to stop still uses its volume until it has. */
export async function removeWhenFree(engine: Pick<Engine, 'removeVolume'>, volume: string): Promise<void> {
  const remove = async (): Promise<boolean> => {
    try {
      await engine.removeVolume(volume);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'CONFLICT') return false;
      throw error;
    }
  };
  if (!(await waitUntilSo(remove, { everyMs: pollMs, limitMs }))) await engine.removeVolume(volume);
}
