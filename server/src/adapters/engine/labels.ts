import { AppError } from '../../domain/errors.ts';
import { managedLabel } from '../../ports/engine.ts';

/** These labels and the one that says "made by Berth". */
export function managed(labels: Record<string, string> = {}): Record<string, string> {
  return { ...labels, [managedLabel]: 'true' };
}

/**
 * Throws CONFLICT when a thing of the engine is not Berth's: `kind` and `name` as a person would say them.
 */
export function requireManaged(
  labels: Record<string, string> | null | undefined,
  kind: string,
  name: string,
): void {
  if (labels?.[managedLabel] === 'true') return;
  throw new AppError(
    'CONFLICT',
    `The engine already has a ${kind} named ${name} that Berth did not make. Berth leaves it alone; ` +
      `choose another name, or remove that ${kind} if nothing needs it.`,
  );
}
