/** What Berth asks of the HTTP proxy. The whole configuration is one value derived from the database. */
import type { Secret } from '../domain/secrets/secret.ts';

export interface Proxy {
  /**
   * Replaces the running configuration by this one when it differs; throws and keeps the old one when the
   * proxy refuses it. A function is asked only when the proxy answers. Answers whether anything changed.
   */
  apply(routes: readonly Route[] | (() => Promise<readonly Route[]>)): Promise<{ changed: boolean }>;
  /**
   * Digest of the routes the proxy has now: empty when they are not ours (a fresh proxy), undefined when it
   * does not answer.
   */
  current(): Promise<string | undefined>;
  /** What `current` gives while the proxy has exactly these routes. */
  expected(routes: readonly Route[]): string;
}

/** What the proxy does for a domain besides leading it to its service. */
export interface RouteRules {
  /** Addresses and networks that may ask; empty: all. */
  allowedAddresses: readonly string[];
  /** Addresses and networks that may not, allowed or not. */
  deniedAddresses: readonly string[];
  /** HTML that is answered with 503 in place of everything; null: there is no maintenance. */
  maintenancePage: string | null;
  /** HTML by the status in whose place it stands: `404`, or `5xx` for those without a page. */
  errorPages: Readonly<Record<string, string>>;
  /** Set on every answer; an empty value removes the service's header. */
  responseHeaders: Readonly<Record<string, string>>;
  /** Texts are packed by gzip or zstd for those who take that. */
  compression: boolean;
  /** Networks of proxies in front of this one, whose forwarding headers are kept. */
  trustedProxies: readonly string[];
  /** Whether the installation trusts all of them, so that the proxy follows the chain of addresses. */
  followsChain: boolean;
}

export const noRules: RouteRules = {
  allowedAddresses: [],
  deniedAddresses: [],
  maintenancePage: null,
  errorPages: {},
  responseHeaders: {},
  compression: false,
  trustedProxies: [],
  followsChain: false,
};

/** One host and path → one service port (interface document, Domain). */
export interface Route extends RouteRules {
  /** Domain id; stable id of the route in the proxy's configuration. */
  id: string;
  /** Id of the application, or of whatever else it leads to; its requests are logged under it. */
  serviceId: string;
  /** ASCII, lower case. */
  host: string;
  path: string;
  internalPath: string;
  stripPath: boolean;
  https: boolean;
  /** Of the host; routes of one host agree. Null without https. */
  certificate: RouteCertificate | null;
  /**
   * Swarm service name; the proxy dials `tasks.<service>` so that a deployment needs no reload. Null: there
   * is nothing to lead to yet, and the proxy says so.
   */
  service: string | null;
  port: number;
  /** Hosts that no route has may be allowed while it is there, with certificates of this authority. */
  admits?: AcmeCertificate;
  /** Leads to Berth itself instead of a service, through its socket in the proxy's folder. */
  isBerth?: true;
  /** Who may pass; empty: everybody. Asked before anything else is answered. */
  accounts: readonly RouteAccount[];
  /** Strict-Transport-Security in seconds (RFC 6797); null: none. */
  hstsMaxAge: number | null;
  /** What the service gets besides, in place of the client's own headers of that name. */
  requestHeaders: Readonly<Record<string, string>>;
  /** Of a request; null: any. */
  maxBodyBytes: number | null;
  /** Tried in this order on whoever may pass; the first that matches answers. */
  redirects: readonly RouteRedirect[];
}

/**
 * Where a host's certificate comes from: the proxy's own authority, an upload, or an ACME authority (RFC
 * 8555), which the proxy asks and asks again in time.
 */
export type RouteCertificate = { source: 'internal' } | UploadedCertificate | AcmeCertificate;

export interface UploadedCertificate {
  source: 'uploaded';
  certificateId: string;
  /** PEM: leaf, then intermediates. */
  chain: string;
  /** PEM. */
  privateKey: Secret;
}

export interface AcmeCertificate {
  source: 'acme';
  /**
   * Whose account at the authority it is, by a name that nobody else has; null: the installation's. Accounts
   * share nothing, one directory and e-mail notwithstanding.
   */
  account: string | null;
  /** Null: the proxy's own. */
  directoryUrl: string | null;
  /** Contact of the account. */
  email: string | null;
  /** PEM of what the directory's own https is checked with; null: what everybody trusts. */
  rootCertificates: string | null;
  /** External account binding; the key is base64url. */
  eab: { keyId: string; hmacKey: Secret } | null;
  /** The authority is not to be asked now; what it issued before is served on. */
  isWithheld: boolean;
}

/** A user of HTTP basic authentication (RFC 7617). */
export interface RouteAccount {
  username: string;
  /** bcrypt. */
  passwordHash: string;
}

/** A redirect by regular expression (`domain/redirect.ts`). */
export interface RouteRedirect {
  regex: string;
  replacement: string;
  permanent: boolean;
}

/**
 * For `ChangeRoutes`: routes of any server may change. Those whose proxy does not answer follow when it does;
 * the first of them is Berth's own.
 */
export const everyServer = '*';

/**
 * Makes `change` through `write` (one transaction with its audit entry) and puts the routes of the server as
 * they are then onto its running proxy: both, or neither. Throws what the proxy says when it refuses them.
 * With `mayWait` a proxy that does not answer (SERVICE_UNAVAILABLE) gets them when it does. A server that is
 * not connected has no proxy, and the change alone is made.
 */
export type ChangeRoutes = <T>(
  serverKey: string,
  write: <R>(work: () => Promise<R>) => Promise<R>,
  change: () => Promise<T>,
  options?: { mayWait?: boolean },
) => Promise<T>;
