/**
 * Connections to addresses that users name. A name is resolved once, its addresses are judged
 * (domain/outgoing.ts), and what is connected to is what was judged.
 */
import type { AppError } from '../domain/errors.ts';
import type { Secret } from '../domain/secrets/secret.ts';

/** For whom. */
export interface OutgoingBy {
  organizationId: string;
  /** A webhook or another callback reaches private networks only where the settings name them. */
  purpose?: 'callback' | undefined;
}

/**
 * Every method throws an AppError: SERVICE_UNAVAILABLE for what does not resolve or answer,
 * PRECONDITION_FAILED for what may not be reached. Of an address that is not public, whoever may not reach
 * private networks is told the same, whether it is refused, closed or silent.
 */
export interface Outgoing {
  /** `host` as people write it, without a port; `port` that it is asked at, any when absent. */
  judge(host: string, by: OutgoingBy, port?: number): Promise<JudgedHost>;
  /** One request by HTTP(S); redirects are answers like others. */
  request(request: OutgoingRequest, by: OutgoingBy): Promise<OutgoingAnswer>;
  /**
   * Sends packets and no more: by TCP one after the other over a connection that is closed then, by UDP each
   * as a datagram. Resolves when the other side's machine has taken them, by UDP when they are sent.
   */
  send(packets: readonly Uint8Array[], to: OutgoingPackets, by: OutgoingBy): Promise<void>;
  /**
   * Sends one message by TCP with its length before it and resolves with the answer of the same form, as DNS
   * has it (RFC 7766); the answer has at most 64 KiB.
   */
  exchange(message: Uint8Array, to: OutgoingExchange, by: OutgoingBy): Promise<Buffer>;
  /**
   * Work of an engine with a registry (`host[:port]`; empty: the default one). The engine resolves and
   * connects by itself, so that the address is judged before, and where the registry sends those who sign in.
   */
  registry<T>(server: string, by: OutgoingBy, work: () => Promise<T>): Promise<T>;
  /** A way out for a program of this machine, which judges every connection of it. */
  gate(by: OutgoingBy, options?: GateOptions): Promise<Gate>;
}

export interface JudgedHost {
  host: string;
  /** Those that may be connected to; at least one. */
  addresses: readonly [string, ...string[]];
  /** All of them lie in networks that the settings name. */
  isNamed: boolean;
  /** Whoever asked is not told what is behind it. */
  isScreened: boolean;
  /** What is to be said of a connection that failed. */
  fault(failure: ConnectFailure): AppError;
}

export type ConnectFailure = 'refused' | 'silent' | 'other';

export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
  /** PEM of the roots that its https is checked with; absent: the public ones. */
  rootCertificates?: string | undefined;
  /** Milliseconds for all of it. */
  limitMs: number;
  /** Bytes of the answer's body; reading more of it throws SERVICE_UNAVAILABLE. */
  maxBytes: number;
}

export interface OutgoingExchange {
  host: string;
  port: number;
  /** Milliseconds for all of it. */
  limitMs: number;
}

export interface OutgoingPackets extends OutgoingExchange {
  transport: 'tcp' | 'udp';
}

export interface OutgoingAnswer {
  status: number;
  /** Where a redirect leads, as the other side wrote it. */
  location?: string | undefined;
  /** Region that an S3 store names for a bucket (`x-amz-bucket-region`). */
  bucketRegion?: string | undefined;
  /** What the next request to an ACME authority is signed with (`Replay-Nonce`, RFC 8555, 6.5). */
  replayNonce?: string | undefined;
  /** Seconds or a date, as the other side wrote it (`Retry-After`, RFC 9110, 10.2.3). */
  retryAfter?: string | undefined;
  body: AsyncIterable<Uint8Array>;
}

/** For answers of which the status counts and little more. */
export const shortAnswer = 64 * 1024;

/** Ends an answer whose rest nobody reads, and its connection with it. */
export async function endUnread({ body }: Pick<OutgoingAnswer, 'body'>): Promise<void> {
  for await (const _rest of body) break;
}

/** The text of an answer; throws when it is longer than was asked for, or breaks off. */
export async function textOfAnswer({ body }: Pick<OutgoingAnswer, 'body'>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export interface GateOptions {
  /** http:// without encryption only where the settings name the network. */
  namedPlain?: boolean;
}

export interface Gate extends AsyncDisposable {
  /** Address of an HTTP proxy, with the sign-in of this gate alone. */
  proxy: Secret;
  /** Why the last connection was not made; undefined when it was. */
  fault(): AppError | undefined;
}
