/**
 * Variables of projects, environments and services: precedence and references (decisions 3). The grammar of a
 * block is in dotenv.ts.
 */
import { parseEnv } from './dotenv.ts';
import type { EnvVariable } from './dotenv.ts';
import { AppError } from '../errors.ts';

/** The blocks that a service sees, as they are stored. */
export interface EnvBlocks {
  project: string;
  environment: string;
  service: string;
  /** Its secret variables, which win over the others. */
  secret?: string | undefined;
  /** Services that references may name; none are without it. */
  services?: ServiceReferences | undefined;
}

/** The blocks around a service: those of its project and environment, and the services beside it. */
export type SurroundingBlocks = Omit<EnvBlocks, 'service' | 'secret'>;

/** Services of one environment as references name them: `<name>.<FIELD>`. */
export interface ServiceReferences {
  /** Undefined when there is no such service; `refused` completes "refers to …: ". */
  find(name: string, field: string): { value: string } | { refused: string } | undefined;
  /** Secrets that it has given away. */
  given: ReadonlySet<string>;
}

/**
 * Every variable of a service with its references put in; the service's own win over the environment's, those
 * over the project's. Throws BAD_REQUEST naming block, line and variable for a bad line, an unknown
 * reference, a circle, a variable that no program can be given (128 KiB) or values that grow beyond 1 MiB.
 */
export function resolveEnv(blocks: EnvBlocks): Record<string, string> {
  const scopes = scopesOf(blocks);
  const values = new Map<string, string>();
  const context = contextOf(scopes, blocks);
  for (const [index, scope] of scopes.entries()) {
    for (const variable of scope.variables.values()) {
      const value = resolve(context, index, variable);
      refuseTooLarge(context, index, variable, value);
      values.set(variable.name, value);
    }
  }
  return Object.fromEntries(values);
}

/**
 * The variables of one further block (build arguments, build secrets) and only those; its references see the
 * block itself, then the service's variables, the environment's and the project's. `field` names the block in
 * errors; `as` tells how programs get the values. Throws as `resolveEnv`, for files without the limit of
 * size.
 */
export function resolveBlock(
  field: string,
  text: string,
  blocks: EnvBlocks,
  as: 'variables' | 'files' = 'variables',
): Record<string, string> {
  return resolvedIn(scopesOf(blocks), { field, text, blocks, as });
}

/**
 * Resolves the references of one text, one after another: `inner` is what stands between the braces. The
 * blocks are read once, at the first. Throws as `resolveEnv`, naming `field`.
 */
export function createReferences(field: string, blocks: EnvBlocks): (inner: string) => string {
  let scopes: Scope[] | undefined;
  return (inner) => {
    scopes ??= scopesOf(blocks);
    const text = `VALUE=\${{${inner}}}`;
    return resolvedIn(scopes, { field, text, blocks, as: 'variables' })['VALUE'] ?? '';
  };
}

interface OneBlock {
  field: string;
  text: string;
  blocks: EnvBlocks;
  as: 'variables' | 'files';
}

function resolvedIn(
  surrounding: readonly Scope[],
  { field, text, blocks, as }: OneBlock,
): Record<string, string> {
  const own = scopeOf('block', field, text);
  const scopes = [...surrounding, own];
  const context = contextOf(scopes, blocks);
  const entries = [...own.variables.values()].map((variable) => {
    const value = resolve(context, scopes.length - 1, variable);
    if (as === 'variables') refuseTooLarge(context, scopes.length - 1, variable, value);
    return [variable.name, value] as const;
  });
  return Object.fromEntries(entries);
}

function contextOf(scopes: readonly Scope[], { services }: EnvBlocks): Context {
  return { scopes, services, done: new Map(), open: new Set(), size: 0 };
}

interface Scope {
  name: 'project' | 'environment' | 'service' | 'secret' | 'block';
  field: string;
  variables: Map<string, EnvVariable>;
}

interface Context {
  /** Weakest first. */
  scopes: readonly Scope[];
  services: ServiceReferences | undefined;
  done: Map<EnvVariable, string>;
  /** Variables being resolved, outermost first. */
  open: Set<EnvVariable>;
  size: number;
}

const maxDepth = 32;
const maxBytes = 1024 * 1024;
/** Linux, MAX_ARG_STRLEN: 128 KiB for a variable with its "=" and its end. */
const maxVariableBytes = 128 * 1024 - 2;

function refuseTooLarge(context: Context, scopeIndex: number, variable: EnvVariable, value: string): void {
  if (Buffer.byteLength(variable.name) + Buffer.byteLength(value) <= maxVariableBytes) return;
  throw failure(
    context,
    scopeIndex,
    variable,
  )(
    'is larger than 128 KiB with its name, which the kernel does not pass to programs; put it into a file ' +
      '(mount.create)',
  );
}

function scopesOf(blocks: EnvBlocks): Scope[] {
  return [
    scopeOf('project', 'project.env', blocks.project),
    scopeOf('environment', 'environment.env', blocks.environment),
    scopeOf('service', 'env', blocks.service),
    scopeOf('secret', 'secretEnv', blocks.secret ?? ''),
  ];
}

function scopeOf(name: Scope['name'], field: string, text: string): Scope {
  return {
    name,
    field,
    variables: new Map(parseEnv(text, field).map((variable) => [variable.name, variable])),
  };
}

/** A service that a text refers to; `inner` is what stands between the braces. */
export interface NamedService {
  inner: string;
  name: string;
}

/**
 * Services of the environment that a text of variables, or a compose file, may refer to by name. One that a
 * variable of the same name hides is among them.
 */
export function namedServices(text: string): NamedService[] {
  const found = new Map<string, NamedService>();
  for (const [, escape, within = ''] of text.matchAll(reference)) {
    const inner = within.trim();
    const name = serviceReference.exec(inner)?.[1];
    if (escape !== '' || name === undefined || referenceName.exec(inner)?.[1] !== undefined) continue;
    found.set(inner, { inner, name });
  }
  return [...found.values()];
}

// `$${{` stands for a literal `${{`.
const reference = /(\$?)\$\{\{([^{}]{0,256})\}\}/g;
const referenceName = /^(?:(project|environment)\.)?([A-Za-z_][A-Za-z0-9_.-]*)$/;

function resolve(context: Context, scopeIndex: number, variable: EnvVariable): string {
  const known = context.done.get(variable);
  if (known !== undefined) return known;
  const fail = failure(context, scopeIndex, variable);
  if (context.open.has(variable)) throw fail('refers to itself in a circle');
  if (context.open.size >= maxDepth)
    throw fail(`stands at the end of more than ${maxDepth} references in a row`);
  context.open.add(variable);
  const value = variable.value.replace(reference, (whole: string, escape: string, inner: string) => {
    if (escape !== '') return whole.slice(1);
    const found = lookUp(context, scopeIndex, variable, inner.trim(), fail);
    const text = typeof found === 'string' ? found : resolve(context, found[1], found[0]);
    context.size += text.length;
    if (context.size > maxBytes) throw fail('makes the variables larger than 1 MiB through its references');
    return text;
  });
  context.open.delete(variable);
  context.done.set(variable, value);
  return value;
}

type Fail = (what: string) => AppError;

function lookUp(
  context: Context,
  scopeIndex: number,
  asking: EnvVariable,
  inner: string,
  fail: Fail,
): [EnvVariable, number] | string {
  const match = referenceName.exec(inner);
  const name = match?.[2];
  const service = wantedService(context, inner, fail);
  if (name === undefined && service !== undefined) return service;
  if (name === undefined)
    throw fail(
      `has the reference \${{${inner}}}, which is neither NAME, project.NAME, environment.NAME nor ` +
        `<service>.HOST and its like with a service of this environment (write $\${{ for a literal \${{)`,
    );
  const wanted = match?.[1];
  // A variable of a service sees its secrets, which win over the others.
  const from = context.scopes[scopeIndex]?.name === 'service' ? scopeIndex + 1 : scopeIndex;
  for (let index = wanted === undefined ? from : context.scopes.length - 1; index >= 0; index -= 1) {
    const scope = context.scopes[index];
    if (scope === undefined || (wanted !== undefined && scope.name !== wanted)) continue;
    const target = scope.variables.get(name);
    // A variable that names itself means the value it overrides: PATH=${{PATH}}:/more.
    if (target !== undefined && (target !== asking || wanted !== undefined)) return [target, index];
  }
  if (wanted === undefined && service !== undefined) return service;
  throw fail(
    `refers to \${{${inner}}}, which is not ` +
      `defined${wanted === undefined ? '' : ` in the variables of the ${wanted}`}`,
  );
}

const serviceReference = /^(.{1,200})\.([A-Z]{1,20})$/s;

/** What a reference to a service of the environment gives; undefined when there is none of that name. */
function wantedService({ services }: Context, inner: string, fail: Fail): string | undefined {
  const [, name, field] = serviceReference.exec(inner) ?? [];
  if (services === undefined || name === undefined || field === undefined) return undefined;
  const found = services.find(name, field);
  if (found && 'refused' in found) throw fail(`refers to \${{${inner}}}: ${found.refused}`);
  return found?.value;
}

function failure(context: Context, scopeIndex: number, variable: EnvVariable): Fail {
  const field = context.scopes[scopeIndex]?.field ?? 'env';
  return (what) => {
    const message = `line ${variable.line}: ${variable.name} ${what}`;
    return new AppError('BAD_REQUEST', `${field}: ${message}`, { issues: [{ path: field, message }] });
  };
}
