/** Which service of a compose file people open in a browser, and on which port it answers. */
import { parse } from 'yaml';
import { fieldsOf } from '../connection/config.ts';

export interface ComposeAddress {
  serviceName: string;
  /** In the container; undefined where the file names none. */
  port: number | undefined;
}

/** Published for clients of their own, never for a browser: databases, caches, queues, mail. */
const otherPorts = new Set([25, 1433, 1521, 3306, 4222, 5432, 5672, 6379, 9042, 9092, 11211, 27017]);
/** Of several that answer on a port, the one that people call so. */
const frontNames = ['web', 'frontend', 'app', 'www', 'site', 'proxy', 'nginx', 'caddy', 'server'];

/**
 * The one service that publishes a port, else the one that exposes one, else the only one there is; of
 * several the one with the name of a front. Undefined where the file does not say.
 */
export function composeAddress(composeFile: string): ComposeAddress | undefined {
  const services = Object.entries(fieldsOf(fieldsOf(parse(composeFile))['services']));
  for (const key of ['ports', 'expose'] as const) {
    const open = services.flatMap(([serviceName, service]) => {
      const [port] = containerPorts(fieldsOf(service)[key]);
      return port === undefined ? [] : [{ serviceName, port }];
    });
    if (open.length === 1) return open[0];
    if (open.length > 1)
      return frontNames
        .map((name) => open.find(({ serviceName }) => serviceName === name))
        .find((one) => one !== undefined);
  }
  const [only] = services;
  return only && services.length === 1 ? { serviceName: only[0], port: undefined } : undefined;
}

/** Names of the file's services. */
export function composeServices(composeFile: string): string[] {
  return Object.keys(fieldsOf(fieldsOf(parse(composeFile))['services']));
}

function containerPorts(value: unknown): number[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((entry: unknown) => {
      if (typeof entry === 'string' || typeof entry === 'number') return ofShortForm(String(entry));
      return ofLongForm(fieldsOf(entry));
    })
    .filter((port): port is number => port !== undefined && !otherPorts.has(port));
}

function ofLongForm({ target, protocol = 'tcp' }: Readonly<Record<string, unknown>>): number | undefined {
  return protocol === 'tcp' ? ofShortForm(String(target)) : undefined;
}

/** `8080:80`, `127.0.0.1:8080:80/tcp`, `80`; a variable counts with its default. */
function ofShortForm(text: string): number | undefined {
  const plain = text.replaceAll(/\$\{\w+:?-([^}]*)\}/g, '$1');
  const port = Number(/(?:^|:)(\d{1,5})(?:\/tcp)?$/.exec(plain)?.[1]);
  return port >= 1 && port <= 65_535 ? port : undefined;
}
