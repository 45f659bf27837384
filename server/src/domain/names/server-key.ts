/**
 * Keys of the machines that services run on: Berth's own, or the id of a server. Queue, ports, domains and
 * certificates are kept apart by them.
 */
export const localServer = 'local';

/** The key of the server that a record names; without a serverId it is Berth's own machine. */
export function serverKeyOf({ serverId }: { serverId?: string | null | undefined }): string {
  return serverId || localServer;
}

/** What a record names for this key: null is Berth's own machine. */
export function serverIdOf(serverKey: string): string | null {
  return serverKey === localServer ? null : serverKey;
}

/** Of a former volume of the database: it stays where it was when the database moves on. */
export function formerServerKey(
  database: { serverId: string | null },
  former: { serverId?: string | null | undefined } | undefined,
): string {
  return serverKeyOf({ serverId: former?.serverId === undefined ? database.serverId : former.serverId });
}
