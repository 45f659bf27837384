/** Kamal: `config/deploy.yml`. */
import { parse } from 'yaml';
import { fieldsOf } from '../connection/config.ts';
import type { Fields } from '../file/kinds.ts';
import { UsageError } from '../usage-error.ts';
import {
  databaseOfImage,
  dataNote,
  listOf,
  mountOf,
  plainName,
  textOf,
  unknownKeys,
  type Imported,
  type ImportedService,
  type ReadFile,
  type Variables,
} from './imported.ts';
import { commandOf } from './procfile.ts';

const known = [
  'service',
  'image',
  'servers',
  'proxy',
  'registry',
  'env',
  'accessories',
  'volumes',
  'labels',
  'builder',
  'ssh',
  'aliases',
  'primary_role',
  'retain_containers',
  'deploy_timeout',
  'drain_timeout',
];

export async function importKamal(
  read: ReadFile,
  given: string | undefined,
  name: string,
): Promise<Imported> {
  const path = given ?? 'config/deploy.yml';
  const text = await read(path);
  if (text === undefined)
    throw new UsageError(`There is no ${path} here. Name the file: berth import kamal FILE.`);
  if (text.includes('<%'))
    throw new UsageError(`${path} holds ERB (<% … %>). Render it first: kamal config.`);
  const config = fieldsOf(parse(text));
  const notes = unknownKeys(path, config, known);
  const project = plainName(textOf(config['service']), name);
  const services: Record<string, ImportedService> = {};
  for (const [role, settings] of rolesOf(config['servers']))
    services[role] = roleOf(role, settings, config, notes);
  const accessories = Object.entries(fieldsOf(config['accessories']));
  for (const [key, value] of accessories) services[key] = accessoryOf(key, fieldsOf(value), notes);
  if (config['builder'] !== undefined)
    notes.push(
      'The builder was left out: the image is taken from its registry. To build here, set sourceType git.',
    );
  return { project, services, notes };
}

/** A list of hosts is the role web. */
function rolesOf(servers: unknown): [string, Fields][] {
  if (Array.isArray(servers) || servers === undefined) return [['web', {}]];
  return Object.entries(fieldsOf(servers)).map(([role, value]) => [
    role,
    Array.isArray(value) ? {} : fieldsOf(value),
  ]);
}

function roleOf(role: string, settings: Fields, config: Fields, notes: string[]): ImportedService {
  const registry = fieldsOf(config['registry']);
  const server = textOf(registry['server']);
  const image = textOf(config['image']);
  const whole = server === '' || image.startsWith(`${server}/`) ? image : `${server}/${image}`;
  const isTagged = /[:@][^/]+$/.test(whole);
  if (!isTagged && role === 'web')
    notes.push(`${role}: ${whole} has no tag in the file; latest was taken. Name the version that runs.`);
  if (registry['username'] !== undefined && role === 'web')
    notes.push(
      `The sign-in at ${server || 'the registry'} was left out: create a registry and give its id as ` +
        'registryId.',
    );
  const command = textOf(settings['cmd']);
  const own = role === 'web' ? proxyOf(config['proxy'], notes) : proxyOf(settings['proxy'], notes);
  const variables = {
    ...environmentOf(config['env'], role, notes),
    ...environmentOf(settings['env'], role, notes),
  };
  const mounts = mountsOf(role, config['volumes'], notes);
  return {
    kind: 'application',
    sourceType: 'container',
    containerImage: isTagged ? whole : `${whole}:latest`,
    ...(command === '' ? {} : { command: commandOf(command) }),
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...(mounts.length === 0 ? {} : { mounts }),
    ...own,
  };
}

function proxyOf(value: unknown, notes: string[]): Fields {
  if (value === undefined || typeof value === 'boolean') return {};
  const { host, hosts, ssl, app_port: port, healthcheck, ...others } = fieldsOf(value);
  notes.push(...unknownKeys('proxy', others, []));
  const { path, interval, timeout } = fieldsOf(healthcheck);
  const names = [...listOf(host), ...listOf(hosts)].flatMap((one) => textOf(one).split(','));
  const seconds = (from: unknown): number | undefined => Number.parseInt(textOf(from), 10) || undefined;
  const certificate = ssl === true ? { https: true, certificateType: 'acme' } : {};
  const domains = names.map((name) => ({
    host: name.trim(),
    port: Number(textOf(port)) || 80,
    ...certificate,
  }));
  return {
    ...(domains.length === 0 ? {} : { domains }),
    ...(path === undefined
      ? {}
      : {
          healthCheck: {
            path: textOf(path),
            ...given({ interval: seconds(interval), timeout: seconds(timeout) }),
          },
        }),
  };
}

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Either all plain, or in `clear` and `secret`. */
function environmentOf(env: unknown, where: string, notes: string[]): Variables {
  const { clear, secret, tags, ...plain } = fieldsOf(env);
  if (tags !== undefined)
    notes.push(`${where}: variables by tag have no counterpart here and were left out.`);
  const values = Object.entries(clear === undefined && secret === undefined ? plain : fieldsOf(clear));
  return {
    ...Object.fromEntries(values.map(([name, value]) => [name, textOf(value)])),
    ...Object.fromEntries(
      listOf(secret).map((entry) => [textOf(entry).split(':')[0] ?? '', { secret: true } as const]),
    ),
  };
}

function mountsOf(where: string, volumes: unknown, notes: string[]): Fields[] {
  return listOf(volumes).flatMap((volume) => {
    const mount = mountOf(textOf(volume), (source) => source.replaceAll(/[^a-zA-Z0-9_.-]/g, '-'));
    if (typeof mount !== 'string') return [mount];
    notes.push(`${where}: ${mount}`);
    return [];
  });
}

function accessoryOf(key: string, accessory: Fields, notes: string[]): ImportedService {
  const containerImage = textOf(accessory['image']);
  const kind = databaseOfImage(containerImage);
  const knownKeys = [
    'image',
    'host',
    'hosts',
    'roles',
    'role',
    'port',
    'env',
    'files',
    'directories',
    'volumes',
    'cmd',
  ];
  notes.push(...unknownKeys(key, accessory, knownKeys));
  if (listOf(accessory['files']).length > 0)
    notes.push(`${key}: its files were left out; create a mount of type file for each.`);
  if (kind !== undefined) {
    notes.push(
      dataNote(key),
      `${key}: it gets a new password and the address \${{${key}.URL}}; use it in place of the old one.`,
    );
    return { kind, containerImage };
  }
  const variables = environmentOf(accessory['env'], key, notes);
  const mounts = [
    ...mountsOf(key, accessory['directories'], notes),
    ...mountsOf(key, accessory['volumes'], notes),
  ];
  const command = textOf(accessory['cmd']);
  if (accessory['port'] !== undefined)
    notes.push(
      `${key}: the port ${textOf(accessory['port'])} was left out: other services reach it by its name ` +
        'on their network.',
    );
  return {
    kind: 'application',
    sourceType: 'container',
    containerImage,
    ...(command === '' ? {} : { args: command.split(/\s+/) }),
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...(mounts.length === 0 ? {} : { mounts }),
  };
}
