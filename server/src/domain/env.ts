/**
 * Variables of projects, environments and services: precedence and references (decisions 3). The grammar of a
 * block is in dotenv.ts.
 */
import { parseEnv } from './dotenv.ts';
import type { EnvVariable } from './dotenv.ts';
import { AppError } from './errors.ts';

/** The three blocks a service sees, as they are stored. */
export interface EnvBlocks {
  project: string;
  environment: string;
  service: string;
}

/**
 * Every variable of a service with its references put in; the service's own win over the environment's, those
 * over the project's. Throws BAD_REQUEST naming block, line and variable for a bad line, an unknown
 * reference, a circle, a variable that no program can be given (128 KiB) or values that grow beyond 1 MiB.
 */
export function resolveEnv(blocks: EnvBlocks): Record<string, string> {
  const scopes = scopesOf(blocks);
  const values = new Map<string, string>();
  const context: Context = { scopes, done: new Map(), open: new Set(), size: 0 };
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
  const own = scopeOf('block', field, text);
  const scopes = [...scopesOf(blocks), own];
  const context: Context = { scopes, done: new Map(), open: new Set(), size: 0 };
  const entries = [...own.variables.values()].map((variable) => {
    const value = resolve(context, scopes.length - 1, variable);
    if (as === 'variables') refuseTooLarge(context, scopes.length - 1, variable, value);
    return [variable.name, value] as const;
  });
  return Object.fromEntries(entries);
}

interface Scope {
  name: 'project' | 'environment' | 'service' | 'block';
  field: string;
  variables: Map<string, EnvVariable>;
}

interface Context {
  /** Weakest first. */
  scopes: readonly Scope[];
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
    'is larger than 128 KiB with its name, which the kernel gives to no program; put it into a file ' +
      '(mount.create)',
  );
}

function scopesOf(blocks: EnvBlocks): Scope[] {
  return [
    scopeOf('project', 'project.env', blocks.project),
    scopeOf('environment', 'environment.env', blocks.environment),
    scopeOf('service', 'env', blocks.service),
  ];
}

function scopeOf(name: Scope['name'], field: string, text: string): Scope {
  return {
    name,
    field,
    variables: new Map(parseEnv(text, field).map((variable) => [variable.name, variable])),
  };
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
    const [target, targetIndex] = lookUp(context, scopeIndex, variable, inner.trim(), fail);
    const text = resolve(context, targetIndex, target);
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
  from: EnvVariable,
  inner: string,
  fail: Fail,
): [EnvVariable, number] {
  const match = referenceName.exec(inner);
  const name = match?.[2];
  if (name === undefined)
    throw fail(
      `has the reference \${{${inner}}}, which is neither NAME, project.NAME nor environment.NAME ` +
        `(write $\${{ for a literal \${{)`,
    );
  const wanted = match?.[1];
  for (let index = wanted === undefined ? scopeIndex : context.scopes.length - 1; index >= 0; index -= 1) {
    const scope = context.scopes[index];
    if (scope === undefined || (wanted !== undefined && scope.name !== wanted)) continue;
    const target = scope.variables.get(name);
    // A variable that names itself means the value it overrides: PATH=${{PATH}}:/more.
    if (target !== undefined && (target !== from || wanted !== undefined)) return [target, index];
  }
  throw fail(
    `refers to \${{${inner}}}, which is not ` +
      `defined${wanted === undefined ? '' : ` in the variables of the ${wanted}`}`,
  );
}

function failure(context: Context, scopeIndex: number, variable: EnvVariable): Fail {
  const field = context.scopes[scopeIndex]?.field ?? 'env';
  return (what) => {
    const message = `line ${variable.line}: ${variable.name} ${what}`;
    return new AppError('BAD_REQUEST', `${field}: ${message}`, { issues: [{ path: field, message }] });
  };
}
