/** CapRover's one-click apps, version 4: a file an app, with `$$cap_…` in place of what is asked. */
import { stringify } from 'yaml';
import {
  defineVolumes,
  Drafting,
  objectOf,
  yamlOf,
  type CatalogueEntry,
  type Draft,
  type DraftVariable,
} from './draft.ts';
import { listOf, textOf } from '../../../domain/text/loose-values.ts';

export const isCaprover = ({ files }: CatalogueEntry): boolean =>
  [...files].some(([name, text]) => /\.ya?ml$/.test(name) && /^captainVersion:/m.test(text));

export function draftOfCaprover({ name, files }: CatalogueEntry): Draft {
  const draft = new Drafting(name);
  const text = [...files].find(([path]) => /\.ya?ml$/.test(path))?.[1] ?? '';
  const top = objectOf(yamlOf(text));
  const app = objectOf(top['caproverOneClickApp']);
  const services: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(objectOf(top['services'])))
    services[serviceName(key)] = serviceOf(draft, serviceName(key), objectOf(value));
  const values = new Texts(draft, Object.keys(services));
  takeHead(draft, app, files, name);
  for (const variable of listOf(app['variables'])) takeVariable(draft, objectOf(variable), values);
  takeInstructions(draft, objectOf(app['instructions']), values);
  const file: Record<string, unknown> = { services: values.within(services) };
  defineVolumes(draft, file);
  for (const key of Object.keys(top))
    if (!['captainVersion', 'services', 'caproverOneClickApp', 'version'].includes(key))
      draft.note(key, 'left out', 'the format has no such field');
  draft.note('captainVersion', 'taken');
  draft.note('services', 'taken');
  return draft.finish(stringify(file, { lineWidth: 0 }));
}

function takeHead(
  draft: Drafting,
  app: Record<string, unknown>,
  files: CatalogueEntry['files'],
  name: string,
): void {
  draft.title = textOf(app['displayName']);
  draft.description = textOf(app['description']);
  const documentation = textOf(app['documentation']);
  draft.website = /https?:\/\/[^\s)"']+/.exec(documentation)?.[0] ?? '';
  for (const key of ['displayName', 'description']) if (app[key] !== undefined) draft.note(key, 'taken');
  if (documentation !== '')
    draft.note('documentation', draft.website === '' ? 'left out' : 'taken', 'as the website');
  if (app['isOfficial'] !== undefined)
    draft.note('isOfficial', 'left out', 'it speaks of the image, which the compose file names');
  const logo = files.get(`${name}.svg`);
  if (logo !== undefined) draft.takeIcon('logo', logo, `${name}.svg`);
  const known = ['displayName', 'description', 'documentation', 'isOfficial', 'variables', 'instructions'];
  for (const key of Object.keys(app))
    if (!known.includes(key)) draft.note(key, 'left out', 'the format of Berth has no such field');
}

/** Its name within the app: `app`, and `db` of `$$cap_appname-db`. */
const serviceName = (key: string): string =>
  key === '$$cap_appname' ? 'app' : key.replace(/^\$\$cap_appname[-_]/, '').replaceAll(/[^\w.-]/g, '-');

function serviceOf(draft: Drafting, name: string, service: Record<string, unknown>): Record<string, unknown> {
  const { caproverExtra, documentation, ...rest } = service;
  const extra = objectOf(caproverExtra);
  const field = `services.${name}`;
  if (documentation !== undefined) draft.note(`${field}.documentation`, 'left out', 'a note for authors');
  for (const [key, value] of Object.entries(extra))
    if (key === 'containerHttpPort' || key === 'notExposeAsWebApp') draft.note(`${field}.${key}`, 'taken');
    else if (key === 'websocketSupport')
      draft.note(`${field}.${key}`, 'taken', 'the proxy of Berth passes WebSockets on');
    else if (key === 'dockerfileLines')
      takeDockerfile(draft, rest, `${field}.${key}`, listOf(value).map(textOf));
    else draft.note(`${field}.${key}`, 'left out', 'a service of a compose file has no such field');
  if (String(extra['notExposeAsWebApp']) !== 'true')
    draft.domain(name, Number(extra['containerHttpPort']) || 80);
  return rest;
}

/** An image alone needs no build; anything more is one, which a template cannot have. */
function takeDockerfile(
  draft: Drafting,
  service: Record<string, unknown>,
  field: string,
  lines: readonly string[],
): void {
  const real = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const image = /^FROM\s+(\S+)$/i.exec(real[0] ?? '')?.[1];
  if (real.length === 1 && image !== undefined) {
    service['image'] = image;
    draft.note(field, 'changed', `it only names the image ${image}`);
    return;
  }
  service['build'] = { dockerfile_inline: `${lines.join('\n')}\n` };
  draft.note(field, 'changed', 'as an inline Dockerfile of the service');
}

function takeVariable(draft: Drafting, given: Record<string, unknown>, values: Texts): void {
  const id = textOf(given['id']);
  const name = variableName(id);
  const label = textOf(given['label']);
  const description = [label, textOf(given['description'])].filter(Boolean).join('. ').slice(0, 500);
  const field = `variables.${id}`;
  const usual = textOf(given['defaultValue']);
  const hex = /^\$\$cap_gen_random_hex\((\d+)\)$/.exec(usual)?.[1];
  const pattern = takePattern(draft, textOf(given['validRegex']), `${field}.validRegex`);
  const made: Partial<DraftVariable> =
    hex === undefined
      ? { value: values.of(usual, false), required: usual === '' && pattern?.refusesNothing === true }
      : { generate: 'hex', length: Math.max(1, Math.ceil(Math.min(Number(hex), 512) / 2)) };
  draft.variable({
    name,
    description: description || name,
    ...made,
    ...(pattern?.pattern === undefined
      ? {}
      : { pattern: pattern.pattern, message: `does not have the form that ${label || name} needs` }),
  });
  draft.note(field, 'taken');
  for (const key of Object.keys(given))
    if (!['id', 'label', 'description', 'defaultValue', 'validRegex'].includes(key))
      draft.note(`${field}.${key}`, 'left out', 'a variable of a template has no such field');
}

/** `/…/` as a pattern of Berth, which is that of the whole value. */
function takePattern(
  draft: Drafting,
  text: string,
  field: string,
): { pattern?: string; refusesNothing: boolean } | undefined {
  const [, source, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  if (source === undefined) {
    if (text !== '') draft.note(field, 'left out', 'it is not between two slashes');
    return undefined;
  }
  try {
    const refusesNothing = !new RegExp(source, flags).test('');
    if (source.length > 250 || flags.replace('g', '') !== '') {
      draft.note(field, 'left out', 'it is too long, or has flags');
      return { refusesNothing };
    }
    draft.note(field, 'taken');
    // Anything but nothing: the value is required, and that is all.
    if (source === '.{1,}' || source === '.+') return { refusesNothing };
    const any = '[\\s\\S]*';
    const isWhole = source.startsWith('^') && source.endsWith('$') && !source.includes('|');
    return { pattern: isWhole ? source.slice(1, -1) : `${any}(?:${source})${any}`, refusesNothing };
  } catch {
    draft.note(field, 'left out', 'it is not a regular expression');
    return undefined;
  }
}

function takeInstructions(draft: Drafting, given: Record<string, unknown>, values: Texts): void {
  for (const key of ['start', 'end']) {
    const text = textOf(given[key]).trim();
    if (text === '') continue;
    draft.instructions.push(values.of(text, false));
    draft.note(`instructions.${key}`, 'taken', 'as a part of the instructions');
  }
}

const variableName = (id: string): string =>
  id
    .replace(/^\$\$cap_/, '')
    .replaceAll(/\W/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase();

/** Texts with what CapRover replaces in them as variables of Berth. */
class Texts {
  private readonly draft: Drafting;
  private readonly services: readonly string[];

  constructor(draft: Drafting, services: readonly string[]) {
    this.draft = draft;
    this.services = services;
  }

  /** The value with every text in it replaced. */
  within(value: unknown): unknown {
    if (typeof value === 'string') return this.of(value, true);
    if (Array.isArray(value)) return value.map((one) => this.within(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [this.of(key, true), this.within(one)]),
    );
  }

  /** In a compose file a dollar sign that means nothing is doubled. */
  of(text: string, isCompose: boolean): string {
    return text.replaceAll(
      /(https?:\/\/)?\$\$cap_appname(?:[-_]([a-z0-9-]+?))?\.\$\$cap_root_domain|srv-captain--\$\$cap_appname(?:[-_]([a-z0-9-]+))?|\$\$cap_gen_random_hex\((\d+)\)|\$\$cap_root_domain|\$\$cap_appname(?:-(?=[a-z]))?|\$\$cap_\w+|\$/g,
      (whole: string, scheme?: string, host?: string, service?: string, hex?: string) => {
        if (whole === '$') return isCompose ? '$$' : whole;
        if (whole.includes('.$$cap_root_domain')) return this.address(host, scheme !== undefined);
        if (whole.startsWith('srv-captain--')) return this.service(service);
        if (hex !== undefined) return this.random(Number(hex));
        if (whole === '$$cap_root_domain') return this.address(undefined, false);
        if (whole === '$$cap_appname-') return '';
        if (whole === '$$cap_appname') return 'app';
        return `\${${variableName(whole)}}`;
      },
    );
  }

  private service(name: string | undefined): string {
    if (name === undefined) return 'app';
    const plain = serviceName(`$$cap_appname-${name}`);
    return this.services.includes(plain) ? plain : name;
  }

  private address(service: string | undefined, isWhole: boolean): string {
    const { draft } = this;
    const wanted = service ?? 'app';
    const domain = draft.domains.find((one) => one.service === wanted) ?? draft.domains[0];
    if (domain === undefined) return 'localhost';
    const stem = domain.name === draft.domains[0]?.name ? 'APP' : variableName(domain.name);
    const name = `${stem}_${isWhole ? 'URL' : 'HOST'}`;
    draft.variable({
      name,
      description: isWhole ? 'Where people open it' : 'Its host name',
      generate: isWhole ? 'address' : 'host',
      domain: domain.name,
    });
    return `\${${name}}`;
  }

  private random(digits: number): string {
    const name = `RANDOM_${digits}`;
    const length = Math.max(1, Math.ceil(Math.min(digits, 512) / 2));
    this.draft.variable({ name, description: 'Generated', generate: 'hex', length });
    return `\${${name}}`;
  }
}
