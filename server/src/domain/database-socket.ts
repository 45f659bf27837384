/** The folder of the socket of a PostgreSQL database, shared with the service that receives its log. */
import { managedLabel, organizationLabel, roleLabel } from './names/labels.ts';

export const socketFolder = '/var/run/postgresql';
/** Value of `berth.role` of the services that receive a log, and of their volumes. */
export const recoveryRole = 'recovery';

interface Owner {
  databaseId: string;
  organizationId: string;
}

interface SocketMount {
  type: 'volume';
  source: string;
  target: string;
  labels: Record<string, string>;
}

export const socketVolumeOf = (databaseId: string): string => `berth-data-${databaseId}-socket`;

export function socketMount({ databaseId, organizationId }: Owner): SocketMount {
  return {
    type: 'volume',
    source: socketVolumeOf(databaseId),
    target: socketFolder,
    labels: recoveryLabels(organizationId),
  };
}

/** Without it two servers that run at once would take each other's socket. */
export function withoutSocket<S extends { mounts: { target: string; type: string }[] }>(spec: S): S {
  return {
    ...spec,
    mounts: spec.mounts.filter(({ target, type }) => target !== socketFolder || type !== 'volume'),
  };
}

export function recoveryLabels(organizationId: string): Record<string, string> {
  return { [managedLabel]: 'true', [organizationLabel]: organizationId, [roleLabel]: recoveryRole };
}
