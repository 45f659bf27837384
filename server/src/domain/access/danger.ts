/**
 * What in a service reaches the machine itself, as data (decisions 8): collected from what will run, approved
 * by the digest of it, and compared at every deployment. Pure.
 */
import { createHash } from 'node:crypto';

export interface Danger {
  /** Name of the service in its compose file; `everyService` for what all services of a record have. */
  service: string;
  what: DangerKind;
  /** As the machine sees it: a path with its links followed, a capability's name. */
  value: string;
  /** For a bind or a volume. */
  access?: Access | undefined;
  /** Of a compose: what the service runs, without tag and digest, or `builtHere`. */
  image?: string | undefined;
  /** Of a raw compose file: digest of user, groups, entrypoint and command, which may hold secrets. */
  start?: string | undefined;
}

export const accesses = ['read-only', 'writable'] as const;
export type Access = (typeof accesses)[number];
/** In place of the name of an image that each deployment builds. */
export const builtHere = 'built from the repository';

export const everyService = '*';

/** What each does, after the service's name. */
const words = {
  bind: (value) => `binds ${value} of the server`,
  volume: (value) => `uses the volume ${value}, which is not its own`,
  capability: (value) => `adds the capability ${value}`,
  sysctl: (value) => `sets ${value}`,
  port: (value) => `publishes the port ${value}, below 1024`,
  logging: (value) => `writes its output to the log driver ${value}`,
  ulimit: (value) => `sets the ulimit ${value}`,
  memory: (value) => `keeps files of up to ${value} in memory`,
  network: (value) => `joins the network of the server (${value})`,
  security: (value) => `runs with the security option ${value}`,
  driver: (value) => `has the engine mount ${value}`,
} as const satisfies Record<string, (value: string) => string>;
export type DangerKind = keyof typeof words;
export const dangerKinds = [
  'bind',
  'volume',
  'capability',
  'sysctl',
  'port',
  'logging',
  'ulimit',
  'memory',
  'network',
  'security',
  'driver',
] as const satisfies readonly DangerKind[];

/** What somebody who may has let a service do. */
export interface Approval {
  /** What is approved: the subject's dangers. */
  digest: string;
  dangers: Danger[];
  /** The service, its place and its source at that time; another source or place needs another approval. */
  subject: string;
  userId: string;
  /** Organization in which the person acted; the approval ends when that loses its host reach. */
  organizationId: string;
  /** ISO 8601. */
  at: string;
}

/** Dangers that nobody has approved. */
export interface AwaitedApproval {
  digest: string;
  dangers: Danger[];
  /** The deployment that was refused for them. */
  deploymentId: string;
  /** ISO 8601. */
  since: string;
}

/** Each once, in an order that depends on nothing but themselves. */
export function canonical(dangers: readonly Danger[]): Danger[] {
  const byKey = new Map(dangers.map((danger) => [keyOf(danger), plain(danger)]));
  return [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? []);
}

/** SHA-256 in hexadecimal digits of a service's dangers. */
export function digestOf(subject: string, dangers: readonly Danger[]): string {
  return createHash('sha256')
    .update(JSON.stringify([subject, canonical(dangers).map(partsOf)]))
    .digest('hex');
}

/** Those that no approval covers. One of every service is for whatever image; one to write allows reading. */
export function uncovered(dangers: readonly Danger[], approved: readonly Danger[]): Danger[] {
  const keys = new Set(approved.map(keyOf));
  return canonical(dangers).filter((danger) => {
    const { what, value, access } = danger;
    const covering = [danger, { service: everyService, what, value, access }];
    if (access !== undefined)
      covering.push(...covering.map((one) => ({ ...one, access: 'writable' as const })));
    return !covering.some((one) => keys.has(keyOf(one)));
  });
}

const shownAtMost = 20;

/** For people: `web binds /etc of the server, writable; web adds the capability NET_ADMIN; it runs nginx`. */
export function listed(dangers: readonly Danger[]): string {
  const asked = dangers.map(
    ({ service, what, value, access }) =>
      `${service === everyService ? 'it' : service} ${words[what](value)}${access ? `, ${access}` : ''}`,
  );
  const lines = [...asked, ...new Set(dangers.flatMap(runs))];
  const more = lines.length - shownAtMost;
  return [...lines.slice(0, shownAtMost), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function runs({ service, image, start }: Danger): string[] {
  if (image === undefined) return [];
  const as = start === undefined ? '' : ' with the user, entrypoint and command of the file';
  return [`${service} runs ${image === builtHere ? 'what is ' : ''}${image}${as}`];
}

function plain({ service, what, value, access, image, start }: Danger): Danger {
  return {
    service,
    what,
    value,
    ...(access === undefined ? {} : { access }),
    ...(image === undefined ? {} : { image }),
    ...(start === undefined ? {} : { start }),
  };
}

function partsOf({ service, what, value, access, image, start }: Danger): (string | null)[] {
  return [service, what, value, access ?? null, image ?? null, start ?? null];
}

function keyOf(danger: Danger): string {
  return JSON.stringify(partsOf(danger));
}
