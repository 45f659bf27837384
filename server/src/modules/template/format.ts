/** Rules of a template that hold between its parts: names, references, domains, files. Pure. */
import { badField } from '../../domain/errors.ts';
import { parseMountPath } from '../../domain/names/server-path.ts';
import { parseRoutePath } from '../../domain/routing/route-path.ts';
import { parseComposeFile } from '../compose/compose-file.ts';
import { iconAddress } from './icon.ts';
import { references } from './references.ts';
import type { Template, TemplateDefinition, TemplateVariable } from './record.ts';

/** The template that a definition describes; BAD_REQUEST naming the field that is wrong. */
export function templateOf(definition: TemplateDefinition, field = 'definition'): Template {
  const { icon, service, port, domains: further, file, ...rest } = definition;
  if ((service === undefined) !== (port === undefined))
    throw badField(
      `${field}.${service === undefined ? 'service' : 'port'}`,
      'is required: service and port name the first domain together',
    );
  const first =
    service === undefined || port === undefined
      ? []
      : [{ name: firstDomain, service, port, path: '/', description: '' }];
  const domains = [...first, ...further];
  const { services } = parseComposeFile(file, `${field}.file`);
  checkDomains(domains, new Set(services.keys()), { field, isAtTop: first.length > 0 });
  checkVariables(rest.variables, new Set(domains.map(({ name }) => name)), field);
  checkFiles(rest.files, field);
  return {
    ...rest,
    file,
    domains,
    service: domains[0]?.service ?? null,
    port: domains[0]?.port ?? null,
    catalogue: null,
    icon: icon === null ? null : iconAddress(icon, `${field}.icon`),
    images: [...services.values()].flatMap((one) => {
      const image = one.get('image');
      return typeof image === 'string' ? [image] : [];
    }),
  };
}

/** Name of the domain that `service` and `port` describe. */
export const firstDomain = 'web';

/** `isAtTop`: the first one is that of service and port. */
function checkDomains(
  domains: Template['domains'],
  services: ReadonlySet<string>,
  { field, isAtTop }: { field: string; isAtTop: boolean },
): void {
  const seen = new Set<string>();
  for (const [index, { name, service, path }] of domains.entries()) {
    const at = isAtTop && index === 0 ? field : `${field}.domains.${index - (isAtTop ? 1 : 0)}`;
    if (seen.has(name)) throw badField(`${at}.name`, `is ${name}, as another domain of the template`);
    seen.add(name);
    if (services.size === 0) throw badField(`${field}.file`, 'has no services');
    if (!services.has(service))
      throw badField(`${at}.service`, `is ${service}, but the compose file has ${[...services].join(', ')}`);
    parseRoutePath(path, `${at}.path`);
  }
}

/** Fields that belong to some generators only. */
const optionsOf: Readonly<Record<Option, readonly TemplateVariable['generate'][]>> = {
  length: ['password', 'hex', 'base64', 'username'],
  alphabet: ['password'],
  claims: ['jwt'],
  signedWith: ['jwt'],
  domain: ['host', 'address', 'scheme', 'https'],
};

type Option = 'length' | 'alphabet' | 'claims' | 'signedWith' | 'domain';
const options = ['length', 'alphabet', 'claims', 'signedWith', 'domain'] as const satisfies readonly Option[];

function checkVariables(variables: Template['variables'], domains: ReadonlySet<string>, field: string): void {
  const names = new Set(variables.map(({ name }) => name));
  if (names.size < variables.length) {
    const twice = variables.findIndex(({ name }, index) =>
      variables.slice(0, index).some((one) => one.name === name),
    );
    throw badField(`${field}.variables.${twice}.name`, `is ${variables[twice]?.name} a second time`);
  }
  for (const [index, variable] of variables.entries())
    checkVariable(variable, { names, domains }, `${field}.variables.${index}`);
  refuseLoops(variables, field);
}

function checkVariable(
  variable: TemplateVariable,
  known: { names: ReadonlySet<string>; domains: ReadonlySet<string> },
  at: string,
): void {
  const { generate, signedWith, pattern, message, domain, value } = variable;
  for (const option of options)
    if (variable[option] !== null && !optionsOf[option].includes(generate))
      throw badField(`${at}.${option}`, `belongs to the generators ${optionsOf[option].join(', ')}`);
  if (generate === 'jwt' && (signedWith === null || !known.names.has(signedWith)))
    throw badField(`${at}.signedWith`, 'must name the variable that signs the jwt');
  if (generate !== null && value !== '')
    throw badField(`${at}.value`, 'cannot be set beside generate: the value is generated');
  if (isOfDomain(generate) && known.domains.size === 0)
    throw badField(`${at}.generate`, `is ${generate}, but the template has no domain`);
  if (domain !== null && !known.domains.has(domain))
    throw badField(`${at}.domain`, `is ${domain}, but the domains are ${[...known.domains].join(', ')}`);
  const unknown = references(value).find((name) => !known.names.has(name));
  if (unknown !== undefined)
    throw badField(`${at}.value`, `refers to \${${unknown}}, which is not a variable of the template`);
  if (pattern === null) return;
  if (message === '') throw badField(`${at}.message`, 'is required beside a pattern');
  try {
    void new RegExp(pattern, 's');
  } catch {
    throw badField(`${at}.pattern`, 'is not a regular expression');
  }
}

const isOfDomain = (generate: TemplateVariable['generate']): boolean => optionsOf.domain.includes(generate);

function refuseLoops(variables: Template['variables'], field: string): void {
  const needs = new Map(
    variables.map(({ name, value, signedWith }) => [
      name,
      new Set(signedWith === null ? references(value) : [signedWith]),
    ]),
  );
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name))
      throw badField(`${field}.variables`, `go in a circle: ${[...path, name].join(' → ')}`);
    if (done.has(name)) return;
    for (const other of needs.get(name) ?? []) visit(other, [...path, name]);
    done.add(name);
  };
  for (const name of needs.keys()) visit(name, []);
}

/** Where a file stands that says no place of its own. */
export const pathInContainer = (path: string): string => `/run/berth/${path}`;

function checkFiles(files: Template['files'], field: string): void {
  const seen = new Set<string>();
  for (const [index, { path, mountPath }] of files.entries()) {
    if (seen.has(path)) throw badField(`${field}.files.${index}.path`, `is ${path} a second time`);
    seen.add(path);
    if (path.split('/').some((part) => ['', '.', '..'].includes(part)))
      throw badField(`${field}.files.${index}.path`, 'must be a relative path without "." and ".."');
    if (mountPath === null) parseMountPath(pathInContainer(path), `${field}.files.${index}.path`);
    else parseMountPath(mountPath, `${field}.files.${index}.mountPath`);
  }
}
