import { request as httpRequest } from 'node:http';
import { AppError } from '../../domain/errors.ts';
import { adminOrigin } from './config/caddy-config.ts';
import { limitedBytes } from '../../domain/text/limited-bytes.ts';

export interface AdminAddress {
  socketPath: string;
  /** As sentences name another server. */
  serverName?: string | undefined;
  /** Why its machine cannot be reached at this moment, where something between here and there knows. */
  whySilent?: (() => string | undefined) | undefined;
}

export interface AdminAnswer {
  status: number;
  body: string;
}

/** Bytes of an answer: the configuration of 10,000 routes has about 6 MiB. */
const answerLimit = 64 * 1024 * 1024;

/**
 * A call of Caddy's admin API (https://caddyserver.com/docs/api) on its unix socket; throws
 * SERVICE_UNAVAILABLE when it does not answer in time.
 */
export function callAdmin(
  address: AdminAddress,
  call: { method: 'GET' | 'POST'; path: string; body?: string; limitMs: number },
): Promise<AdminAnswer> {
  const body = call.body === undefined ? undefined : Buffer.from(call.body);
  const headers = {
    Host: adminOrigin,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const { socketPath } = address;
    const fail = (cause: unknown) => reject(unreachable(address, cause));
    const request = httpRequest(
      {
        socketPath,
        method: call.method,
        path: call.path,
        headers,
        agent: false,
        signal: AbortSignal.timeout(call.limitMs),
      },
      (response) => {
        limitedBytes(response, answerLimit, 'Its answer').then(
          (bytes) => resolve({ status: response.statusCode ?? 0, body: bytes.toString('utf8') }),
          fail,
        );
      },
    );
    request.on('error', fail);
    request.end(body);
  });
}

function unreachable({ socketPath, serverName, whySilent }: AdminAddress, cause: unknown): AppError {
  const between = whySilent?.();
  if (between !== undefined) return new AppError('SERVICE_UNAVAILABLE', between, { cause });
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The proxy ${serverName === undefined ? '' : `of ${serverName} `}does not answer on its admin socket ` +
      `${socketPath} (${why}). Berth restarts it and sends its routes; see the service berth-proxy if ` +
      'this persists.',
    { cause },
  );
}
