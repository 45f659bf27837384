/**
 * What a person can choose about this installation: environment, else what was kept from last time, else the
 * default.
 */
import { isAbsolute } from 'node:path';
import { AppError } from '../../server/src/domain/errors.ts';

/**
 * Settings that are kept in the environment file when given. The defaults are the server's own
 * (server/src/config.ts).
 */
const defaults = {
  BERTH_HOST: '0.0.0.0',
  BERTH_PORT: '3000',
  BERTH_URL: '',
  BERTH_PUBLIC_HOST: '',
  BERTH_TRUSTED_PROXIES: '',
  DATABASE_URL: '',
  BERTH_ENGINE_SOCKET: '/var/run/docker.sock',
  BERTH_DOCKER_CLI: '/usr/bin/docker',
  BERTH_PROXY_IMAGE: '',
  BERTH_NODE_IMAGE: '',
  BERTH_HTTP_PORT: '80',
  BERTH_HTTPS_PORT: '443',
  BERTH_SQLITE_SYNCHRONOUS: 'FULL',
  BERTH_LOG_LEVEL: 'info',
  BERTH_PREVIEW_WATCH_SECONDS: '300',
  BERTH_GIT: '/usr/bin/git',
  BERTH_RCLONE: '/usr/bin/rclone',
  BERTH_LEGO: '/usr/bin/lego',
  // A machine behind a proxy or with its own certificate authority: git, pulls and webhooks need these.
  HTTP_PROXY: '',
  HTTPS_PROXY: '',
  NO_PROXY: '',
  NODE_EXTRA_CA_CERTS: '',
  SSL_CERT_FILE: '',
} as const;

type SettingName = keyof typeof defaults;

/** Kept for Berth alone; set-up itself does not look at them. */
const passedOn = [
  'BERTH_PUBLIC_HOST',
  'BERTH_TRUSTED_PROXIES',
  'BERTH_SQLITE_SYNCHRONOUS',
  'BERTH_LOG_LEVEL',
  'BERTH_PREVIEW_WATCH_SECONDS',
  'BERTH_GIT',
  'BERTH_RCLONE',
  'BERTH_LEGO',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
] as const;

export interface Settings {
  /** Only what differs from the defaults: this is what the environment file keeps. */
  chosen: Partial<Record<SettingName, string>>;
  host: string;
  port: number;
  /** Public address, without a slash at its end. */
  url: string;
  databaseUrl: string | undefined;
  engineSocket: string;
  dockerCli: string;
  proxyImage: string | undefined;
  nodeImage: string | undefined;
  httpPort: number;
  httpsPort: number;
  /** Milliseconds that a started Berth has until it answers health; its migrations count. */
  healthLimitMs: number;
}

const defaultHealthLimitSeconds = 60;

const defaultData = '/var/lib/berth';

/** The data folder; throws BAD_REQUEST when BERTH_DATA is no absolute path. */
export function dataFolder(environment: NodeJS.ProcessEnv): string {
  const data = environment['BERTH_DATA'] || defaultData;
  if (!isAbsolute(data) || data === '/') {
    throw new AppError(
      'BAD_REQUEST',
      `BERTH_DATA is "${data}". Give the absolute path of a folder of its own, such as ${defaultData}.`,
    );
  }
  return data.replace(/\/+$/, '');
}

export function readSettings(
  environment: NodeJS.ProcessEnv,
  kept: Readonly<Record<string, string>>,
): Settings {
  const chosen: Settings['chosen'] = {};
  const value = (name: SettingName): string => {
    const given = environment[name] ?? kept[name] ?? '';
    if (given === '' || given === defaults[name]) return defaults[name];
    chosen[name] = given;
    return given;
  };
  const port = readPort('BERTH_PORT', value('BERTH_PORT'));
  const settings: Settings = {
    chosen,
    host: value('BERTH_HOST'),
    port,
    url: (value('BERTH_URL') || `http://localhost:${port}`).replace(/\/+$/, ''),
    databaseUrl: value('DATABASE_URL') || undefined,
    engineSocket: value('BERTH_ENGINE_SOCKET'),
    dockerCli: value('BERTH_DOCKER_CLI'),
    proxyImage: value('BERTH_PROXY_IMAGE') || undefined,
    nodeImage: value('BERTH_NODE_IMAGE') || undefined,
    httpPort: readPort('BERTH_HTTP_PORT', value('BERTH_HTTP_PORT')),
    httpsPort: readPort('BERTH_HTTPS_PORT', value('BERTH_HTTPS_PORT')),
    healthLimitMs:
      readSeconds(
        'BERTH_HEALTH_LIMIT',
        environment['BERTH_HEALTH_LIMIT'] || String(defaultHealthLimitSeconds),
      ) * 1000,
  };
  for (const name of passedOn) value(name);
  if (!URL.canParse(settings.url)) {
    throw new AppError(
      'BAD_REQUEST',
      `BERTH_URL is "${settings.url}", which is not an address. Give one such as https://berth.example.com.`,
    );
  }
  return settings;
}

/**
 * For glibc's allocator (mallopt(3)). Two arenas instead of eight per core, since freed memory stays in each.
 * Thresholds that stay as they are: unless named they grow with every large block that is freed, up to 32
 * MiB, and what a large body or answer took is then kept between small blocks. V8's compilers take blocks of
 * 32 KiB, so from that size on a block is a mapping of its own, which goes back when it is freed: after a
 * load Berth has 15 to 30 MB less than with 64 KiB, the size of the blocks in which Node reads bodies.
 * (Measured with bodies of 100 to 800 kB: the heap grows by 3 MiB, with 64 KiB by 4 to 7 and with 128 by 8 to
 * 14, at an eighth more processor time for such bodies. Reads and changes of records cost the same.)
 */
export const allocatorSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/**
 * The variables Berth starts with. `build` names the release, so that a running Berth can be asked which one
 * it is.
 */
export function berthEnvironment(settings: Settings, data: string, build: string): Record<string, string> {
  return {
    ...settings.chosen,
    ...(settings.proxyImage === undefined ? {} : { BERTH_PROXY_IMAGE: settings.proxyImage }),
    ...(settings.nodeImage === undefined ? {} : { BERTH_NODE_IMAGE: settings.nodeImage }),
    BERTH_DATA: data,
    BERTH_BUILD: build,
    NODE_ENV: 'production',
    ...allocatorSettings,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LANG: 'C.UTF-8',
  };
}

/** An address of this machine where Berth listens. */
export function localAddress(settings: Settings): string {
  if (settings.host === '0.0.0.0' || settings.host === '') return '127.0.0.1';
  if (settings.host === '::') return '::1';
  return settings.host;
}

/** The proxy as seen from this machine, with the port only where it is not 80. */
export function proxyAddress(settings: Settings, host: string): string {
  return `http://${host}${settings.httpPort === 80 ? '' : `:${settings.httpPort}`}`;
}

function readSeconds(name: string, text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,5}$/.test(text) || seconds < 1) {
    throw new AppError('BAD_REQUEST', `${name} is "${text}". Give whole seconds from 1 to 99999.`);
  }
  return seconds;
}

function readPort(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65535) {
    throw new AppError('BAD_REQUEST', `${name} is "${text}". Give a port number from 1 to 65535.`);
  }
  return port;
}
