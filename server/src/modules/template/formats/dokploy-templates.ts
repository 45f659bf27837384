/** Dokploy's catalogue: a folder a template, with meta.json, docker-compose.yml and template.toml. */
import { stringify } from 'yaml';
import {
  askForOthers,
  Drafting,
  isAddress,
  objectOf,
  yamlOf,
  type CatalogueEntry,
  type Draft,
  type DraftVariable,
} from './draft.ts';
import { parseToml } from './toml.ts';
import { fieldsOf, listOf, parseJson, textOf } from '../../../domain/text/loose-values.ts';

export const isDokploy = ({ files }: CatalogueEntry): boolean =>
  files.has('template.toml') && (files.has('docker-compose.yml') || files.has('docker-compose.yaml'));

export function draftOfDokploy({ name, files }: CatalogueEntry, now: Date): Draft {
  const draft = new Drafting(name);
  takeMeta(draft, fieldsOf(parseJson(files.get('meta.json') ?? '{}')), files);
  const toml: Readonly<Record<string, unknown>> = parseToml(files.get('template.toml') ?? '');
  const config = fieldsOf(toml['config']);
  const values = new Values(draft, fieldsOf(toml['variables']), now);
  takeDomains(draft, listOf(config['domains']).map(fieldsOf), values);
  values.takeVariables();
  takeEnv(draft, config['env'] ?? toml['env'], values);
  takeMounts(draft, listOf(config['mounts']).map(fieldsOf), values);
  for (const key of Object.keys(config))
    if (!['domains', 'env', 'mounts', 'isolated'].includes(key))
      draft.note(`config.${key}`, 'left out', 'the format of Berth has no such field');
  if (config['isolated'] !== undefined)
    draft.note('config.isolated', 'left out', 'every compose service has a network of its own in Berth');
  for (const key of Object.keys(toml))
    if (!['variables', 'config', 'env'].includes(key))
      draft.note(key, 'left out', 'the format of Berth has no such section');
  const compose = composeOf(draft, files.get('docker-compose.yml') ?? files.get('docker-compose.yaml') ?? '');
  askForOthers(draft, compose, 'docker-compose.yml');
  return draft.finish(compose);
}

function takeMeta(
  draft: Drafting,
  meta: Readonly<Record<string, unknown>>,
  files: CatalogueEntry['files'],
): void {
  const links = fieldsOf(meta['links']);
  draft.title = textOf(meta['name']);
  draft.description = textOf(meta['description']);
  draft.website = [links['website'], links['github'], links['docs']].map(textOf).find(isAddress) ?? '';
  for (const key of ['id', 'name', 'description']) if (meta[key] !== undefined) draft.note(key, 'taken');
  for (const key of Object.keys(links))
    if (textOf(links[key]) === draft.website) draft.note(`links.${key}`, 'taken', 'as website');
    else if (key === 'docs' && textOf(links[key]) !== '') {
      draft.instructions.push(`Documentation: ${textOf(links[key])}`);
      draft.note('links.docs', 'taken', 'as a line of the instructions');
    } else draft.note(`links.${key}`, 'left out', 'a template has one address of the product');
  if (meta['tags'] !== undefined) draft.takeTags('tags', listOf(meta['tags']).map(textOf));
  const logo = textOf(meta['logo']);
  if (logo !== '') draft.takeIcon('logo', logo.endsWith('.svg') ? files.get(logo) : undefined, logo);
  if (meta['version'] !== undefined)
    draft.note('version', 'left out', 'the tags of the images say which version it is');
  for (const key of Object.keys(meta))
    if (!['id', 'name', 'description', 'links', 'tags', 'logo', 'version'].includes(key))
      draft.note(key, 'left out', 'the format of Berth has no such field');
}

const helper = /\$\{([^{}]+)\}/g;

/** What a helper decides of a variable. */
type Made = Partial<Omit<DraftVariable, 'name' | 'description'>>;

/** Texts of the template with its helpers as variables of Berth. */
class Values {
  private readonly draft: Drafting;
  private readonly given: Readonly<Record<string, unknown>>;
  private readonly now: Date;
  /** Names of variables that are hosts, with the domain they are of. */
  private readonly hosts = new Map<string, string>();

  constructor(draft: Drafting, given: Readonly<Record<string, unknown>>, now: Date) {
    this.draft = draft;
    this.given = given;
    this.now = now;
  }

  /** The variable is the host of this domain. */
  isHost(variable: string, domain: string): void {
    if (!this.hosts.has(variable)) this.hosts.set(variable, domain);
  }

  takeVariables(): void {
    for (const [name, value] of Object.entries(this.given))
      this.take(name, textOf(value), `variables.${name}`);
  }

  take(name: string, text: string, field: string): void {
    const { draft } = this;
    const domain = this.hosts.get(name);
    const description = 'Of the catalogue';
    const only = /^\$\{([^{}]+)\}$/.exec(text)?.[1];
    if (domain !== undefined || only === 'domain') {
      if (domain === undefined && draft.domains.length === 0)
        return draft.note(field, 'left out', 'it is a host, but no domain has it');
      draft.variable({ name, description: 'Host name', generate: 'host', domain: domain ?? 'web' });
      return draft.note(field, 'taken', 'as the host of a domain');
    }
    if (Object.hasOwn(this.given, only ?? '') && only !== name)
      return draft.variable({ name, description, value: `\${${only}}` });
    const made = only === undefined ? undefined : this.generatorOf(only, field);
    if (made !== undefined) draft.variable({ name, description, ...made });
    else draft.variable({ name, description, value: this.expanded(text, name, field) });
    draft.note(field, 'taken');
  }

  /** The text with every helper replaced by a reference to a variable. */
  expanded(text: string, owner: string, field: string): string {
    let count = 0;
    const withAddresses = text.replaceAll(/https?:\/\/\$\{(\w+)\}/g, (whole, name: string) => {
      if (!this.hosts.has(name)) return whole;
      const address = `${name}_URL`;
      const domain = this.hosts.get(name) ?? null;
      this.draft.variable({ name: address, description: 'Address', generate: 'address', domain });
      this.draft.note(field, 'changed', 'http or https follows the domain');
      return `\${${address}}`;
    });
    return withAddresses.replaceAll(helper, (whole, inner: string) => {
      if (Object.hasOwn(this.given, inner) || this.draft.variables.has(inner)) return whole;
      const made = this.generatorOf(inner, field);
      if (made === undefined) {
        if (!/^[A-Za-z_]\w*$/.test(inner)) return whole;
        this.draft.variable({ name: inner, description: 'Asked for by the catalogue' });
        this.draft.note(field, 'changed', `\${${inner}} is not defined there, and asked for`);
        return whole;
      }
      count += 1;
      const name = `${owner}_${count}`;
      this.draft.variable({ name, description: `Part of ${owner}`, ...made });
      return `\${${name}}`;
    });
  }

  private generatorOf(text: string, field: string): Made | undefined {
    const [name = '', ...args] = text.split(':');
    const length = Math.min(512, Number(args[0]) || 0);
    const rest = args.join(':');
    switch (name) {
      case 'password':
        return { generate: 'password', length: length || 32 };
      case 'base64':
        return { generate: 'base64', length: length || 32 };
      case 'hash':
        return { generate: 'hex', length: Math.max(1, Math.ceil((length || 8) / 2)) };
      case 'uuid':
        return { generate: 'uuid' };
      case 'username':
        return { generate: 'username' };
      case 'domain':
        return this.draft.domains.length === 0 ? { value: '' } : { generate: 'host' };
      case 'email':
        this.draft.note(field, 'changed', 'an address for mail is asked for in place of a made-up one');
        return { required: true, pattern: '.+@.+', message: 'must be an address for mail' };
      case 'randomPort':
        this.draft.note(field, 'changed', 'a port is asked for in place of a random one');
        return { required: true, pattern: '\\d{2,5}', message: 'must be the number of a port' };
      case 'timestamp':
      case 'timestampms':
      case 'timestamps':
        this.draft.note(field, 'changed', 'a point in time is fixed at the import');
        return { value: String(this.timeOf(name, rest)) };
      case 'jwt':
        return this.tokenOf(args, length, field);
      default:
        return undefined;
    }
  }

  private timeOf(name: string, text: string): number {
    const at = text === '' ? this.now.getTime() : new Date(text).getTime();
    return name === 'timestamps' ? Math.floor(at / 1000) : at;
  }

  private tokenOf(args: readonly string[], length: number, field: string): Made {
    const [signedWith, payload] = args;
    if (signedWith === undefined || length > 0) return { generate: 'hex', length: length || 256 };
    const text = textOf(this.given[payload ?? '']).replaceAll(helper, (_whole, inner: string) => {
      const [name = '', ...rest] = inner.split(':');
      return name.startsWith('timestamp') ? String(this.timeOf(name, rest.join(':'))) : '';
    });
    let claims: Readonly<Record<string, unknown>> = {};
    try {
      claims = fieldsOf(JSON.parse(text || '{}'));
    } catch {
      this.draft.note(field, 'changed', 'the claims of the token could not be read, and were left out');
    }
    const flat = Object.entries(claims).filter(([, value]) => typeof value !== 'object');
    return {
      generate: 'jwt',
      signedWith,
      claims: Object.fromEntries(flat) as Record<string, string | number | boolean>,
    };
  }
}

function takeDomains(
  draft: Drafting,
  domains: readonly Readonly<Record<string, unknown>>[],
  values: Values,
): void {
  for (const [index, { serviceName, port, host, path, ...others }] of domains.entries()) {
    const field = `config.domains.${index}`;
    const service = textOf(serviceName);
    const number = Number(port);
    if (service === '' || !Number.isInteger(number) || number < 1 || number > 65_535) {
      draft.note(field, 'left out', 'it has no service or no port');
      continue;
    }
    const name = draft.domain(service, number, textOf(path).startsWith('/') ? textOf(path) : '/');
    const only = /^\$\{(\w+)\}$/.exec(textOf(host))?.[1];
    if (only !== undefined && only !== 'domain') values.isHost(only, name);
    if (only === undefined && textOf(host) !== '')
      draft.note(`${field}.host`, 'changed', `the host ${textOf(host)} is asked for, or a test name`);
    draft.note(field, 'taken');
    for (const key of Object.keys(others))
      draft.note(`${field}.${key}`, 'left out', 'a domain of a template has no such field');
  }
}

function takeEnv(draft: Drafting, env: unknown, values: Values): void {
  const entries = Array.isArray(env)
    ? env.flatMap((one): [string, string][] => {
        const record = fieldsOf(one);
        if (typeof one !== 'string')
          return Object.keys(record).length === 1
            ? Object.entries(record).map(([key, value]) => [key, textOf(value)])
            : [[textOf(record['key'] ?? record['name']), textOf(record['value'])]];
        const [, key = '', value = ''] = /^\s*([A-Za-z_]\w*)\s*=(.*)$/s.exec(one) ?? [];
        return key === '' ? [] : [[key, unquoted(value)]];
      })
    : Object.entries(fieldsOf(env)).map(([key, value]): [string, string] => [key, textOf(value)]);
  for (const [key, value] of entries) {
    const field = `config.env.${key}`;
    if (!/^[A-Za-z_]\w*$/.test(key)) draft.note(field, 'left out', 'it is not the name of a variable');
    else if (draft.variables.has(key)) draft.note(field, 'taken', 'as the variable of the same name');
    else values.take(key, value, field);
  }
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/s.exec(text.trim())?.[2] ?? text.trim();

function takeMounts(
  draft: Drafting,
  mounts: readonly Readonly<Record<string, unknown>>[],
  values: Values,
): void {
  for (const [index, { filePath, content, ...others }] of mounts.entries()) {
    const field = `config.mounts.${index}`;
    const path = textOf(filePath).replace(/^(\.?\/)+/, '');
    if (path === '' || textOf(content) === '') {
      draft.note(field, 'left out', 'it has no path or no content');
      continue;
    }
    draft.files.push({ path, content: values.expanded(textOf(content), `FILE_${index + 1}`, field) });
    draft.note(field, 'taken');
    for (const key of Object.keys(others))
      draft.note(`${field}.${key}`, 'left out', 'the compose file says where a file is mounted');
  }
}

/** The compose file with the files beside it, and with ports that were only named not published. */
function composeOf(draft: Drafting, text: string): string {
  const file = objectOf(yamlOf(text));
  draft.note('docker-compose.yml', 'taken');
  if (file['version'] !== undefined) draft.note('docker-compose.yml version', 'left out', 'it means nothing');
  delete file['version'];
  for (const [name, value] of Object.entries(objectOf(file['services']))) {
    const service = objectOf(value);
    const ports = listOf(service['ports']);
    const named = ports.filter((port) => /^\d+$/.test(textOf(port)));
    if (named.length === 0) continue;
    service['expose'] = [...listOf(service['expose']), ...named];
    const published = ports.filter((port) => !named.includes(port));
    if (published.length === 0) delete service['ports'];
    else service['ports'] = published;
    draft.note(`services.${name}.ports`, 'changed', 'a port without a published one is exposed only');
  }
  return stringify(file, { lineWidth: 0 }).replaceAll('../files/', './');
}
