/**
 * A file of the corpus as one that lives without its programs: each service runs the reporter, with its own
 * words behind those of the test. Everything else stays as it is written.
 */
import {
  isMap,
  parseDocument,
  visit,
  type Document,
  type DocumentOptions,
  type ParseOptions,
  type SchemaOptions,
} from 'yaml';
import { z } from 'zod';

const names = z.record(z.string(), z.unknown());
const texts = z.array(z.string()).nullish();
const mountedFile = z.object({ source: z.string(), target: z.string().optional() });

const serviceShape = z.looseObject({
  entrypoint: texts,
  command: texts,
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).nullish(),
  ports: z
    .array(
      z.looseObject({
        target: z.number(),
        published: z.coerce.number().optional(),
        protocol: z.string().optional(),
      }),
    )
    .nullish(),
  expose: texts,
  container_name: z.string().optional(),
  links: texts,
  networks: z.record(z.string(), z.looseObject({ aliases: texts }).nullable()).nullish(),
  volumes: z
    .array(z.looseObject({ type: z.string(), source: z.string().optional(), target: z.string() }))
    .nullish(),
  configs: z.array(mountedFile).nullish(),
  secrets: z.array(mountedFile).nullish(),
  sysctls: names.nullish(),
  scale: z.number().optional(),
  deploy: z.looseObject({ replicas: z.number().optional() }).nullish(),
});
const outer = z.record(z.string(), z.looseObject({ name: z.string(), external: z.boolean().optional() }));

/** What `docker compose config --format json` says of a file, as far as it is needed here. */
export const configShape = z.looseObject({
  name: z.string(),
  services: z.record(z.string(), serviceShape).default({}),
  networks: outer.nullish(),
  volumes: outer.nullish(),
});
export type Config = z.infer<typeof configShape>;

export interface Living {
  files: Record<string, string>;
  services: string[];
  /** Those that end by themselves: others wait for that, or their words say so. */
  jobs: readonly string[];
  /** Published TCP ports. */
  ports: number[];
  /** Networks, volumes and folders of the server that have to be there before. */
  outside: { networks: string[]; volumes: string[]; folders: string[] };
  /** Which services wait for which. */
  order: [first: string, then: string][];
}

/** Where files are laid out for docker compose. */
export const work = '/srv/lived';

export function livingOf(files: Readonly<Record<string, string>>, config: Config, image: string): Living {
  const services = Object.keys(config.services);
  const begun = services.filter((name) => {
    const { scale, deploy } = config.services[name] ?? {};
    return (deploy?.replicas ?? scale) !== 0;
  });
  const order = services.flatMap((name) =>
    Object.keys(config.services[name]?.depends_on ?? {}).map((other): [string, string] => [other, name]),
  );
  const jobs = new Set(
    Object.values(config.services).flatMap(({ depends_on: on }) =>
      Object.entries(on ?? {}).flatMap(([name, { condition }]) =>
        condition === 'service_completed_successfully' ? [name] : [],
      ),
    ),
  );
  const words = Object.fromEntries(services.map((name) => [name, wordsOf(name, config, jobs.has(name))]));
  return {
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        /\.ya?ml$/.test(path) ? withReporter(text, words, image) : text,
      ]),
    ),
    services: begun,
    jobs: begun.filter(
      (name) => jobs.has(name) || config.services[name]?.command?.some((word) => word.startsWith('exit=')),
    ),
    ports: Object.values(config.services).flatMap(({ ports }) =>
      (ports ?? []).flatMap(({ published, protocol = 'tcp' }) =>
        published === undefined || protocol !== 'tcp' ? [] : [published],
      ),
    ),
    outside: {
      networks: outsideOf(config.networks),
      volumes: outsideOf(config.volumes),
      folders: Object.values(config.services).flatMap(({ volumes }) =>
        (volumes ?? []).flatMap(({ type, source }) =>
          type === 'bind' && source !== undefined && isOnServer(source) ? [source] : [],
        ),
      ),
    },
    order,
  };
}

/** Not of the file's own folder, and no file or socket that a system has. */
const isOnServer = (path: string): boolean =>
  /^\/(?:srv|mnt|opt|media)\//.test(path) && !path.startsWith(work);

const outsideOf = (defined: Config['networks']): string[] =>
  Object.values(defined ?? {}).flatMap(({ name, external }) => (external === true ? [name] : []));

/** The whole of what the container runs, but for its command. */
function wordsOf(name: string, config: Config, isJob: boolean): string[] {
  const service = config.services[name] ?? {};
  // Files of corpus/lived.txt may begin the reporter by themselves.
  if (service.entrypoint?.includes('/report.cjs') === true) return service.entrypoint;
  const ports = (service.ports ?? []).flatMap(({ target, protocol = 'tcp' }) =>
    protocol === 'tcp' ? [String(target)] : [],
  );
  const mounted = (list: typeof service.configs, base: string): string[] =>
    (list ?? []).map(({ source, target = source }) => (target.startsWith('/') ? target : `${base}${target}`));
  const lists = {
    listen: [...ports, ...(service.expose ?? []).filter((port) => /^\d+$/.test(port))],
    read: [
      ...(service.volumes ?? []).flatMap(({ type, target }) => (type === 'bind' ? [target] : [])),
      ...mounted(service.configs, '/'),
      ...mounted(service.secrets, '/run/secrets/'),
    ],
    sysctl: Object.keys(service.sysctls ?? {}),
    neighbour: namesOn(config),
  };
  return [
    'node',
    '/report.cjs',
    `name=${name}`,
    ...(isJob ? ['exit=0', 'after=1500'] : []),
    ...Object.entries(lists).flatMap(([word, values]) =>
      values.length === 0 ? [] : [`${word}=${[...new Set(values)].join(',')}`],
    ),
    ...(service.entrypoint ?? []),
  ];
}

/** Every name by which services of the file may find each other. */
const namesOn = ({ services }: Config): string[] =>
  Object.entries(services).flatMap(([name, service]) => [
    name,
    ...(service.container_name === undefined ? [] : [service.container_name]),
    ...Object.values(service.networks ?? {}).flatMap((network) => network?.aliases ?? []),
    ...(service.links ?? []).flatMap((link) => link.split(':').slice(1)),
  ]);

/** Every scalar is text that stays as it is written. */
const asWritten: ParseOptions & DocumentOptions & SchemaOptions = {
  schema: 'failsafe',
  customTags: ['null'],
  logLevel: 'silent',
  uniqueKeys: false,
};

export function withReporter(
  text: string,
  words: Readonly<Record<string, readonly string[]>>,
  image: string,
): string {
  const document: Document = parseDocument(text, asWritten);
  const { contents } = document;
  if (!isMap(contents)) return text;
  visit(document, {
    // Nothing at all is no value within braces, where it is written as one.
    Scalar: (_key, scalar) => {
      if (scalar.source === '' && scalar.value === null) delete scalar.source;
    },
  });
  for (const { key, value } of contents.items)
    if (String(key).startsWith('x-') && isMap(value)) value.delete('build');
  const services = contents.get('services');
  if (!isMap(services)) return text;
  for (const pair of services.items) {
    const name = String(pair.key);
    const service = pair.value;
    if (!isMap(service)) continue;
    service.delete('build');
    service.set('image', image);
    const own = words[name];
    if (own !== undefined) service.set('entrypoint', document.createNode(own));
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
