/** The one way to a handler: authenticate → class → input → things named → handler → output → audit. */
import { AppError } from '../domain/errors.ts';
import { memberReaches, roleReaches, type Scope } from '../domain/permissions.ts';
import type { Actor, CallContext } from './context.ts';
import { parseInput } from './input.ts';
import { resourceKinds, type ResourceKind, type StreamEvent, type UploadedFile } from './procedure.ts';
import type { RegisteredProcedure } from './registry.ts';

/** What the transport knows of a call. */
export interface Caller {
  /** Finds out who calls; throws UNAUTHORIZED or TOO_MANY_REQUESTS. Called once per procedure call, so that each counts against a key's limits. */
  authenticate(): Promise<Actor>;
  ip: string;
  /** Fires when the caller is gone; made when first asked for. */
  readonly signal: AbortSignal;
  lastEventId?: string | undefined;
  follow?: boolean;
}

export interface AuditEntry {
  actor: Actor;
  procedure: string;
  resourceId: string | undefined;
  outcome: string;
  ip: string;
}

export interface GuardPorts {
  /** Where a thing stands; undefined when it does not exist. */
  findScope(kind: ResourceKind, id: string): Promise<Scope | undefined>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  recordAudit(entry: AuditEntry): Promise<void>;
}

export interface Guard {
  call(target: RegisteredProcedure, caller: Caller, rawInput: unknown, file?: UploadedFile): Promise<unknown>;
  stream(target: RegisteredProcedure, caller: Caller, rawInput: unknown): Promise<AsyncIterable<StreamEvent<unknown>>>;
  /** The checks alone; the transport asks for them before it reads an upload. */
  admit(target: RegisteredProcedure, caller: Caller, rawInput: unknown): Promise<Admitted>;
}

export interface Admitted {
  context: CallContext;
  input: unknown;
  resourceId: string | undefined;
  audited: { done: boolean };
}

export function createGuard(ports: GuardPorts): Guard {
  async function admit(target: RegisteredProcedure, caller: Caller, rawInput: unknown): Promise<Admitted> {
    const actor = await caller.authenticate();
    checkClass(target, actor);
    const input = parseInput(target.procedure.input, rawInput);
    const { scope, resourceId } = await checkResources(ports, target, actor, input);
    const audited = { done: false };
    const context: CallContext = {
      actor, scope, ip: caller.ip, follow: caller.follow ?? false, lastEventId: caller.lastEventId,
      get signal() {
        return caller.signal;
      },
      async write(work) {
        const result = await ports.transaction(async () => {
          const value = await work();
          if (!audited.done) await ports.recordAudit({ actor, procedure: target.path, resourceId: resourceId ?? idOf(value), outcome: 'done', ip: caller.ip });
          return value;
        });
        // Only now is the entry stored; a commit that failed took it away again.
        audited.done = true;
        return result;
      },
    };
    return { context, input, resourceId, audited };
  }

  async function run(target: RegisteredProcedure, admitted: Admitted, file?: UploadedFile): Promise<unknown> {
    const { context, input, audited } = admitted;
    const isChange = target.procedure.kind !== 'query';
    const audit = (outcome: string, resourceId: string | undefined): Promise<void> =>
      ports.recordAudit({ actor: context.actor, procedure: target.path, resourceId, outcome, ip: context.ip });
    let answer: unknown;
    try {
      answer = await target.call(context, input, file);
    } catch (error) {
      if (isChange && !audited.done) await audit(error instanceof AppError ? error.code : 'INTERNAL_SERVER_ERROR', admitted.resourceId);
      throw error;
    }
    if (isChange && !audited.done) await audit('done', admitted.resourceId ?? idOf(answer));
    return target.procedure.output.parse(answer);
  }

  return {
    admit,
    call: async (target, caller, rawInput, file) => run(target, await admit(target, caller, rawInput), file),
    stream: async (target, caller, rawInput) => {
      const { context, input } = await admit(target, caller, rawInput);
      return checkedEvents(target, target.stream(context, input));
    },
  };
}

async function* checkedEvents(target: RegisteredProcedure, events: AsyncIterable<StreamEvent<unknown>>): AsyncIterable<StreamEvent<unknown>> {
  for await (const event of events) yield { id: event.id, data: target.procedure.output.parse(event.data) };
}

function checkClass(target: RegisteredProcedure, actor: Actor): void {
  const { access, kind } = target.procedure;
  if (access.sessionOnly && actor.sessionId === undefined) {
    throw new AppError('FORBIDDEN', `${target.path} needs a logged-in session; an API key cannot call it. Sign in first.`);
  }
  if (!roleReaches(actor.role, access.class)) {
    throw new AppError('FORBIDDEN', `${target.path} needs the role ${access.class === 'owner' ? 'Owner' : 'Owner or Admin'}; yours is ${actor.role}.`);
  }
  if (access.grant && actor.role === 'member' && !actor.grants[access.grant]) {
    throw new AppError('FORBIDDEN', `You lack the permission ${access.grant}. An Owner or Admin of the organization can give it.`);
  }
  const action = access.action ?? (kind === 'query' || kind === 'subscription' ? 'read' : 'write');
  if (actor.permissions && !actor.permissions[target.router]?.includes(action)) {
    throw new AppError('FORBIDDEN', `This API key is not permitted to ${action} ${target.router}. Use a key with that permission.`);
  }
}

async function checkResources(ports: GuardPorts, target: RegisteredProcedure, actor: Actor, input: unknown): Promise<{ scope: Scope | undefined; resourceId: string | undefined }> {
  let first: { scope: Scope; resourceId: string } | undefined;
  for (const { kind, field, partial } of target.procedure.access.resources) {
    for (const id of idsIn(input, field)) {
      const scope = await ports.findScope(kind, id);
      if (!scope) throw new AppError('NOT_FOUND', `There is no ${kind} with the id given in ${field}. It may have been removed.`);
      if (scope.organizationId !== actor.organizationId) throw new AppError('FORBIDDEN', `The ${kind} named in ${field} belongs to another organization.`);
      if (actor.role === 'member' && !partial) checkMember(kind, field, actor, scope);
      first ??= { scope, resourceId: id };
    }
  }
  return { scope: first?.scope, resourceId: first?.resourceId };
}

/** What the kind asks of a member. */
function checkMember(kind: ResourceKind, field: string, { grants }: Actor, scope: Scope): void {
  const need = resourceKinds[kind];
  if (need === 'nothing') return;
  if (need === 'assigned' ? memberReaches(grants, scope) : grants[need]) return;
  throw new AppError('FORBIDDEN', `You have no access to the ${kind} named in ${field}${need === 'assigned' ? '' : `; it needs the permission ${need}`}. An Owner or Admin of the organization can give it.`);
}

/** The id in the field, each id of a list, none when the field is absent. */
function idsIn(input: unknown, field: string): string[] {
  if (typeof input !== 'object' || input === null) return [];
  const value: unknown = Reflect.get(input, field);
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
}

/** The new record's own id is its first field by our records' order. */
function idOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const [name, value] = Object.entries(answer)[0] ?? [];
  return name?.endsWith('Id') && typeof value === 'string' ? value : undefined;
}
