/** The environment, parsed once. */
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from './domain/errors.ts';
import { parseOwnHost } from './domain/access/own-host.ts';

const port = z.coerce.number().int().min(1).max(65_535);
const path = z.string().startsWith('/', 'must be an absolute path');

const variables = z.object({
  BERTH_DATA: path.default('/var/lib/berth'),
  BERTH_HOST: z.string().default('0.0.0.0'),
  BERTH_PORT: port.default(3000),
  BERTH_URL: z.url().optional(),
  BERTH_PUBLIC_HOST: z.string().optional(),
  BERTH_TRUSTED_PROXIES: z.string().default(''),
  DATABASE_URL: z.string().startsWith('postgres').optional(),
  BERTH_SQLITE_SYNCHRONOUS: z.enum(['FULL', 'NORMAL']).default('FULL'),
  BERTH_ENGINE_SOCKET: path.default('/var/run/docker.sock'),
  BERTH_DOCKER_CLI: path.default('/usr/bin/docker'),
  BERTH_GIT: path.default('/usr/bin/git'),
  BERTH_RCLONE: path.default('/usr/bin/rclone'),
  BERTH_LEGO: path.default('/usr/bin/lego'),
  BERTH_PROXY_IMAGE: z.string().default('caddy:2'),
  BERTH_HTTP_PORT: port.default(80),
  BERTH_HTTPS_PORT: port.default(443),
  BERTH_PROBE: path.optional(),
  BERTH_PREVIEW_WATCH_SECONDS: z.coerce.number().int().min(1).max(86_400).default(300),
  BERTH_ADOPT: z.enum(['0', '1']).default('0'),
  BERTH_GIVE_UP: z.string().optional(),
  BERTH_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
});

export interface Config {
  /** Folder of everything Berth keeps. */
  data: string;
  host: string;
  port: number;
  url: string;
  /** Host name of Berth's own, as set-up was told it. */
  publicHost: string | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  trustedProxies: string[];
  databaseUrl: string | undefined;
  sqliteSynchronous: 'FULL' | 'NORMAL';
  engineSocket: string;
  dockerCli: string;
  gitPath: string;
  rclonePath: string;
  legoPath: string;
  proxyImage: string;
  httpPort: number;
  httpsPort: number;
  probePath: string;
  /** Milliseconds between looks at the pull requests of previews. */
  previewWatchMs: number;
  /** Takes over proxy, rules and builders of another installation. */
  adopts: boolean;
  /** A former incarnation of this installation that has ended. */
  givesUp: string | undefined;
  logLevel: string;
}

/** Throws BAD_REQUEST naming the variable that is wrong. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const parsed = variables.safeParse(environment);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AppError(
      'BAD_REQUEST',
      `The environment variable ${issue?.path.join('.') ?? ''} is not valid: ${issue?.message ?? ''}.`,
    );
  }
  const { data } = parsed;
  return {
    data: data.BERTH_DATA,
    host: data.BERTH_HOST,
    port: data.BERTH_PORT,
    url: data.BERTH_URL ?? `http://localhost:${data.BERTH_PORT}`,
    publicHost: data.BERTH_PUBLIC_HOST
      ? parseOwnHost(data.BERTH_PUBLIC_HOST, 'BERTH_PUBLIC_HOST')
      : undefined,
    trustedProxies: data.BERTH_TRUSTED_PROXIES.split(',')
      .map((text) => text.trim())
      .filter((text) => text !== ''),
    databaseUrl: data.DATABASE_URL,
    sqliteSynchronous: data.BERTH_SQLITE_SYNCHRONOUS,
    engineSocket: data.BERTH_ENGINE_SOCKET,
    dockerCli: data.BERTH_DOCKER_CLI,
    gitPath: data.BERTH_GIT,
    rclonePath: data.BERTH_RCLONE,
    legoPath: data.BERTH_LEGO,
    proxyImage: data.BERTH_PROXY_IMAGE,
    httpPort: data.BERTH_HTTP_PORT,
    httpsPort: data.BERTH_HTTPS_PORT,
    probePath: data.BERTH_PROBE ?? join(data.BERTH_DATA, 'probe', 'busybox'),
    previewWatchMs: data.BERTH_PREVIEW_WATCH_SECONDS * 1000,
    adopts: data.BERTH_ADOPT === '1',
    givesUp: data.BERTH_GIVE_UP || undefined,
    logLevel: data.BERTH_LOG_LEVEL,
  };
}
