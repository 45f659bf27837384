/**
 * Whose a thing on an engine is. Everything that Berth makes is labelled here and nowhere else, and every
 * list and change asks here whether a thing belongs to this installation.
 */
import { AppError } from '../../../domain/errors.ts';
import { installationLabel, managedLabel } from '../../../domain/names/labels.ts';
import type { EngineClient } from '../client/engine-client.ts';

type Labels = Readonly<Record<string, string>> | null | undefined;
export type Owner = Pick<EngineClient, 'installation'>;

/** Labels of something that this installation makes. */
export function ownedLabels(
  { installation }: Owner,
  labels: Readonly<Record<string, string>> = {},
): Record<string, string> {
  if (installation === '')
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      'Something would be made on an engine without the id of this installation.',
    );
  return { ...labels, [managedLabel]: 'true', [installationLabel]: installation };
}

/** Whether Berth made it, and no other installation did. */
export function isOwn({ installation }: Owner, labels: Labels): boolean {
  const other = labels?.[installationLabel] || installation;
  return labels?.[managedLabel] === 'true' && other === installation;
}

/** Whether another installation made it. */
export function isForeign(owner: Owner, labels: Labels): boolean {
  return labels?.[managedLabel] === 'true' && !isOwn(owner, labels);
}

/** Throws CONFLICT when a thing of the engine is not ours: `kind` and `name` as a person would say them. */
export function requireOwn(owner: Owner, labels: Labels, kind: string, name: string): void {
  if (isOwn(owner, labels)) return;
  const maker =
    labels?.[managedLabel] === 'true'
      ? `that belongs to another installation of Berth (${labels[installationLabel] ?? ''})`
      : 'that Berth did not make';
  throw new AppError(
    'CONFLICT',
    `The engine already has a ${kind} named ${name} ${maker}. Berth leaves it alone; choose another ` +
      `name, or remove that ${kind} if nothing needs it.`,
  );
}
