/** Coolify's catalogue: compose files with a head of comments, and variables named SERVICE_*. */
import { stringify } from 'yaml';
import {
  askForOthers,
  defineVolumes,
  Drafting,
  isAddress,
  objectOf,
  yamlOf,
  type CatalogueEntry,
  type Draft,
  type DraftVariable,
} from './draft.ts';
import { listOf, textOf } from '../../../domain/text/loose-values.ts';

export const isCoolify = ({ files }: CatalogueEntry): boolean =>
  [...files].some(
    ([name, text]) =>
      /\.ya?ml$/.test(name) &&
      /^services:/m.test(text) &&
      (/^# (slogan|documentation):/m.test(text) || /\bSERVICE_(FQDN|URL|PASSWORD|USER)_/.test(text)),
  );

export function draftOfCoolify({ name, files }: CatalogueEntry): Draft {
  const draft = new Drafting(name);
  const text = [...files].find(([path]) => /\.ya?ml$/.test(path))?.[1] ?? '';
  const head = takeHead(draft, text, files);
  const file = objectOf(yamlOf(text));
  delete file['version'];
  for (const [service, value] of Object.entries(objectOf(file['services'])))
    takeService(draft, service, objectOf(value), head);
  defineVolumes(draft, file);
  const compose = stringify(file, { lineWidth: 0 });
  takeMagic(draft, compose, head);
  askForOthers(draft, compose, 'compose');
  draft.note('services', 'taken');
  return draft.finish(compose);
}

interface Head {
  port: number | undefined;
}

function takeHead(draft: Drafting, text: string, files: CatalogueEntry['files']): Head {
  const head = new Map(
    [...text.matchAll(/^# *([a-z_]+): *(.*)$/gm)].map(([, key = '', value = '']) => [
      key,
      value.trim().replace(/^"(.*)"$/, '$1'),
    ]),
  );
  for (const [key, value] of head)
    if (key === 'slogan') {
      draft.description = value;
      draft.note(key, 'taken', 'as the description');
    } else if (key === 'documentation') {
      draft.website = isAddress(value) ? value : '';
      draft.note(key, draft.website === '' ? 'left out' : 'taken', 'as the website');
    } else if (key === 'logo')
      draft.takeIcon(
        key,
        value.endsWith('.svg') ? files.get(value.split('/').at(-1) ?? '') : undefined,
        value,
      );
    else if (key === 'port') draft.note(key, 'taken', 'as the port of domains that name none');
    else if (key === 'ignore')
      draft.note(key, 'changed', 'Coolify does not offer it; here it is a template like any other');
    else if (key !== 'tags' && key !== 'category')
      draft.note(key, 'left out', 'the format of Berth has no such field');
  const tags = [head.get('category') ?? '', ...(head.get('tags') ?? '').split(',')];
  if (head.has('tags') || head.has('category')) draft.takeTags('tags, category', tags);
  return { port: Number(head.get('port')) || undefined };
}

function takeService(draft: Drafting, name: string, service: Record<string, unknown>, head: Head): void {
  if (service['exclude_from_hc'] !== undefined) {
    delete service['exclude_from_hc'];
    draft.note(`services.${name}.exclude_from_hc`, 'left out', 'each service says itself what healthy means');
  }
  const { environment } = service;
  if (Array.isArray(environment))
    service['environment'] = environment.filter((entry) => !takeAddress(draft, name, textOf(entry), head));
  else
    for (const [key, value] of Object.entries(objectOf(environment)))
      if (takeAddress(draft, name, value === null ? key : `${key}=${textOf(value)}`, head))
        delete objectOf(environment)[key];
  const volumes = listOf(service['volumes']).map((volume) => takeVolume(draft, name, volume));
  if (volumes.length > 0) service['volumes'] = volumes;
}

const addressName = /^SERVICE_(?:FQDN|URL)_([A-Z0-9_]+?)(?:_(\d+))?(?:=(\/\S*))?$/;

/** Whether the entry only says that the service is to have a domain. */
function takeAddress(draft: Drafting, service: string, entry: string, { port }: Head): boolean {
  const [, name, own, path] = addressName.exec(entry) ?? [];
  if (name === undefined) return false;
  const number = Number(own) || port || 80;
  const known = draft.domains.find(
    (one) => one.service === service && one.port === number && one.path === (path ?? '/'),
  );
  const domain = known?.name ?? draft.domain(service, number, path);
  if (own === undefined && port === undefined)
    draft.note(entry, 'changed', 'it names no port, so its domain leads to port 80');
  draft.note(entry, 'taken', `as the domain ${domain}`);
  for (const kind of ['FQDN', 'URL'] as const)
    for (const suffix of own === undefined ? [''] : ['', `_${own}`])
      draft.variable(addressVariable(`SERVICE_${kind}_${name}${suffix}`, domain));
  return true;
}

const addressVariable = (name: string, domain: string): DraftVariable => ({
  name,
  description: name.startsWith('SERVICE_FQDN') ? 'Host name' : 'Address',
  generate: name.startsWith('SERVICE_FQDN') ? 'host' : 'address',
  domain,
});

/** A folder or file that Coolify makes, as what Berth makes of the like. */
function takeVolume(draft: Drafting, service: string, volume: unknown): unknown {
  const entry = objectOf(volume);
  const [source, target] = [textOf(entry['source']), textOf(entry['target'])];
  const field = `services.${service}.volumes ${source}`;
  if (entry['content'] !== undefined) {
    const path = source.replace(/^(\.?\/)+/, '');
    draft.files.push({ path, content: textOf(entry['content']) || '\n' });
    draft.note(field, 'taken', 'as a file beside the compose file');
    return `./${path}:${target}${entry['read_only'] === true ? ':ro' : ''}`;
  }
  if (entry['is_directory'] !== undefined || entry['isDirectory'] !== undefined) {
    const { is_directory: _one, isDirectory: _other, ...rest } = entry;
    draft.note(field, 'changed', 'a folder beside the file becomes a volume');
    return rest;
  }
  return volume;
}

const sizes = '(?:_(32|64|128))?';
const magic: readonly [RegExp, (size: number) => Partial<DraftVariable>][] = [
  [new RegExp(`^SERVICE_PASSWORD${sizes}_`), (size) => ({ generate: 'password', length: size || 32 })],
  [/^SERVICE_PASSWORDWITHSYMBOLS/, () => ({ generate: 'password', length: 32, alphabet: symbols })],
  [/^SERVICE_USER_/, () => ({ generate: 'username', length: 16 })],
  // Random letters there, in spite of the name.
  [new RegExp(`^SERVICE_BASE64${sizes}_`), (size) => ({ generate: 'password', length: size || 32 })],
  [new RegExp(`^SERVICE_REALBASE64${sizes}_`), (size) => ({ generate: 'base64', length: size || 32 })],
  [new RegExp(`^SERVICE_HEX${sizes}_`), (size) => ({ generate: 'hex', length: (size || 32) / 2 })],
  [/^SERVICE_SUPABASEANON_/, () => tokenOf('anon')],
  [/^SERVICE_SUPABASESERVICE_/, () => tokenOf('service_role')],
];

const symbols = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789-_.!*';
const secretOfTokens = 'SERVICE_PASSWORD_JWT';
const tokenOf = (role: string): Partial<DraftVariable> => ({
  generate: 'jwt',
  signedWith: secretOfTokens,
  claims: { role, iss: 'supabase' },
});

function takeMagic(draft: Drafting, compose: string, head: Head): void {
  const texts = [compose, ...draft.files.map(({ content }) => content)].join('\n');
  for (const [name] of texts.matchAll(/\bSERVICE_[A-Z0-9]+_[A-Z0-9_]+/g)) {
    if (draft.variables.has(name)) continue;
    const [, address, port] = addressName.exec(name) ?? [];
    if (address !== undefined) {
      const domain = domainOf(draft, address, Number(port) || head.port);
      if (domain === undefined) draft.note(name, 'left out', 'no service of the file is called so');
      else {
        draft.variable(addressVariable(name, domain));
        draft.note(name, 'taken', `of the domain ${domain}`);
      }
      continue;
    }
    const [pattern, make] = magic.find(([one]) => one.test(name)) ?? [];
    if (pattern === undefined || make === undefined) continue;
    draft.variable({ name, description: 'Generated', ...make(Number(pattern.exec(name)?.[1]) || 0) });
    draft.note(name, 'taken');
  }
  const signs = [...draft.variables.values()].some(({ signedWith }) => signedWith === secretOfTokens);
  if (signs)
    draft.variable({ name: secretOfTokens, description: 'Signs tokens', generate: 'password', length: 32 });
}

/** The domain of a service by the name that variables have for it; made where it has none yet. */
function domainOf(draft: Drafting, address: string, port: number | undefined): string | undefined {
  const plain = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  const found = draft.domains.find(
    (one) => plain(one.service) === plain(address) && (port === undefined || one.port === port),
  );
  return (found ?? (draft.domains.length === 1 ? draft.domains[0] : undefined))?.name;
}
