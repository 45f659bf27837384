/** The one way to a handler: authenticate → class → input → things named → handler → output → audit. */
import { AppError } from '../domain/errors.ts';
import type { Grants, Role, Scope } from '../domain/access/permissions.ts';
import { watchAccess, type AccessWatch } from './access-watch.ts';
import type { Actor, CallContext, Found } from './context.ts';
import { parseInput, refuseMasked } from './input/input.ts';
import { checkFieldGrants, checkHostReach, checkKey, checkPlace, forbidden, hasHostReach } from './place.ts';
import { isRead, verbOf, type StreamEvent, type UploadedFile } from './procedure.ts';
import { checkReferences, type ReferencePorts } from './input/references.ts';
import type { NamedProcedure } from './describe/listing.ts';
import type { RegisteredProcedure } from './registry.ts';
import { shownTo } from './secret-fields.ts';
import { shownEvents } from './shown-events.ts';
import { absent, checkResources, idsIn, isNested, type ThingPorts } from './things.ts';
import { tellChange, type ToldChange } from './told-change.ts';

/** What the transport knows of a call. */
export interface Caller {
  /**
   * Finds out who calls; throws UNAUTHORIZED or TOO_MANY_REQUESTS. Called once per procedure call, so that
   * each counts against a key's limits.
   */
  authenticate(): Promise<Actor>;
  /** How often, in milliseconds, it is looked again who calls while a stream or an upload is open. */
  recheckMs?: number | undefined;
  /** The same as `authenticate` for such a look: counts against no limit. */
  authenticateAgain?(): Promise<Actor>;
  ip: string;
  /** Fires when the caller is gone; made when first asked for. */
  readonly signal: AbortSignal;
  lastEventId?: string | undefined;
  follow?: boolean;
  announce?: CallContext['announce'];
}

export interface AuditEntry {
  /** Who, and the organization whose log the entry belongs to. */
  actor: { organizationId: string; userId: string | undefined; apiKeyId?: string | undefined };
  procedure: string;
  resourceId: string | undefined;
  outcome: string;
  ip: string;
}

export interface GuardPorts extends ThingPorts, ReferencePorts {
  /** The user's place in an organization; undefined when there is none. */
  findPlace(
    userId: string,
    organizationId: string,
  ): Promise<{ role: Role; grants: Grants; lacksTwoFactor: boolean } | undefined>;
  transaction<T>(work: () => Promise<T>, options?: { waitsForNothing: boolean }): Promise<T>;
  /** A change of the organization, inside the transaction; CONFLICT when it takes more than it may. */
  withinQuota<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  recordAudit(entry: AuditEntry): Promise<void>;
  /** Stores the event of a change with it (decisions 14). */
  tell(change: ToldChange): Promise<void>;
}

export interface Guard {
  call(target: RegisteredProcedure, caller: Caller, rawInput: unknown, file?: UploadedFile): Promise<unknown>;
  stream(
    target: RegisteredProcedure,
    caller: Caller,
    rawInput: unknown,
  ): Promise<AsyncIterable<StreamEvent<unknown>>>;
  /** Lets a caller in to what stays open both ways, which no handler answers. */
  open(target: NamedProcedure, caller: Caller, rawInput: unknown): Promise<OpenCall>;
}

/** A caller who was let in; call `end` when what they have open is over. */
export interface OpenCall {
  actor: Actor;
  input: unknown;
  /** Fires when they may no longer have it, with what they would be refused with. */
  lost: AbortSignal;
  /** Stores what became of it. */
  audit(outcome: string): Promise<void>;
  end(): void;
}

interface Admitted {
  /** Of a stream and of an upload, where the transport says how often to look. */
  access: AccessWatch | undefined;
  context: CallContext;
  input: unknown;
  resourceId: string | undefined;
  recorded: Recorded;
}

/** What of a call is stored already, each with the change that it is about. */
interface Recorded {
  audit: boolean;
  event: boolean;
}

/**
 * Refusals of the guard that the log keeps: somebody reached for what is not theirs. An input that the schema
 * refuses is no change yet.
 */
const auditedAtTheDoor: readonly string[] = ['FORBIDDEN', 'NOT_FOUND'];

export function createGuard(ports: GuardPorts): Guard {
  return {
    call: async (target, caller, rawInput, file) =>
      run(ports, target, await admit(ports, target, caller, rawInput), file),
    stream: async (target, caller, rawInput) => {
      const admitted = await admit(ports, target, caller, rawInput);
      const { access, context, input } = admitted;
      const events = shownEvents(target, context.actor, target.stream(context, input), access);
      return isChange(target)
        ? auditedEvents(events, admitted, (outcome) =>
            audit(ports, target, admitted, outcome, admitted.resourceId),
          )
        : events;
    },
    async open(target, caller, rawInput) {
      const admitted = await admit(ports, target, caller, rawInput);
      const { access, context, input, resourceId } = admitted;
      access?.start();
      return {
        actor: context.actor,
        input,
        lost: access?.lost ?? new AbortController().signal,
        audit: (outcome) => audit(ports, target, admitted, outcome, resourceId),
        end: () => access?.stop(),
      };
    },
  };
}

async function admit(
  ports: GuardPorts,
  target: NamedProcedure,
  caller: Caller,
  rawInput: unknown,
): Promise<Admitted> {
  const identity = await caller.authenticate();
  try {
    const checked = await check(ports, target, identity, rawInput);
    const recorded = { audit: false, event: false };
    const access = accessOf(ports, target, caller, rawInput);
    const present = access ? endingWith(caller, access) : caller;
    return {
      access,
      context: contextOf(ports, target, { caller: present, rawInput, recorded }, checked),
      input: checked.input,
      resourceId: checked.resourceId,
      recorded,
    };
  } catch (error) {
    if (isChange(target) && error instanceof AppError && auditedAtTheDoor.includes(error.code)) {
      await ports.recordAudit({
        actor: identity,
        procedure: target.path,
        resourceId: subjectOf(target, rawInput),
        outcome: error.code,
        ip: caller.ip,
      });
    }
    throw error;
  }
}

/** Looks again as at the beginning, without counting. */
function accessOf(
  ports: GuardPorts,
  target: NamedProcedure,
  { recheckMs, authenticateAgain }: Caller,
  rawInput: unknown,
): AccessWatch | undefined {
  const { kind } = target.procedure;
  if (recheckMs === undefined || !authenticateAgain || (kind !== 'subscription' && kind !== 'upload'))
    return undefined;
  return watchAccess(recheckMs, async () => check(ports, target, await authenticateAgain(), rawInput));
}

/** Whoever may no longer have it is as good as gone. */
function endingWith(caller: Caller, { lost }: AccessWatch): Caller {
  let signal: AbortSignal | undefined;
  return {
    ...caller,
    get signal() {
      return (signal ??= AbortSignal.any([caller.signal, lost]));
    },
  };
}

async function run(
  ports: GuardPorts,
  target: RegisteredProcedure,
  admitted: Admitted,
  file?: UploadedFile,
): Promise<unknown> {
  const { access, context, input, recorded, resourceId } = admitted;
  let answer: unknown;
  try {
    answer =
      access && file
        ? await receivedWhileAllowed(access, file, () => target.call(context, input, file))
        : await target.call(context, input, file);
  } catch (error) {
    const outcome = error instanceof AppError ? error.code : 'INTERNAL_SERVER_ERROR';
    if (isChange(target) && !recorded.audit) await audit(ports, target, admitted, outcome, resourceId);
    throw error;
  }
  // A change whose handler wrote by itself, an engine's for example.
  if (isChange(target) && !(recorded.audit && recorded.event))
    await ports.transaction(
      async () => {
        if (!recorded.audit) await audit(ports, target, admitted, 'done', resourceId ?? idOf(target, answer));
        const { actor, scope } = context;
        if (!recorded.event) await tellChange(ports, { target, actor, scope, input, answer });
      },
      { waitsForNothing: true },
    );
  return shownTo(context.actor, target, target.procedure.output.parse(answer));
}

/** Until the body is whole: what is done with it then is a change like any other. */
async function receivedWhileAllowed(
  access: AccessWatch,
  { content }: UploadedFile,
  work: () => Promise<unknown>,
): Promise<unknown> {
  content.once('end', access.stop);
  access.lost.addEventListener('abort', () => content.destroy(access.lost.reason), { once: true });
  access.start();
  try {
    return await access.unlessLost(work());
  } finally {
    access.stop();
  }
}

function audit(
  ports: GuardPorts,
  target: NamedProcedure,
  { context: { actor, ip } }: Admitted,
  outcome: string,
  resourceId: string | undefined,
): Promise<void> {
  return ports.recordAudit({ actor, procedure: target.path, resourceId, outcome, ip });
}

const isChange = ({ procedure }: NamedProcedure): boolean => !isRead(procedure);

interface Checked {
  /** The caller, in the organization the call acts in. */
  actor: Actor;
  input: unknown;
  scope: Scope | undefined;
  resourceId: string | undefined;
}

async function check(
  ports: GuardPorts,
  target: NamedProcedure,
  identity: Actor,
  rawInput: unknown,
): Promise<Checked> {
  const { actsIn } = target.procedure.access;
  checkKey(target, identity);
  if (actsIn === undefined) await checkPlace(ports, target, identity);
  const input = parseInput(target.procedure.input, rawInput);
  if (isChange(target)) refuseMasked(input);
  const actor =
    actsIn === undefined ? identity : await actorIn(ports, target, identity, { field: actsIn, input });
  if (actsIn !== undefined) await checkPlace(ports, target, actor);
  const { scope, resourceId } = await checkResources(ports, target, actor, input);
  checkFieldGrants(target, actor, input);
  await checkHostReach(ports, target, actor, { scope, input });
  if (verbOf(target.procedure) === 'POST') await checkReferences(ports, target, { actor, scope, input });
  return { actor, input, scope, resourceId };
}

interface Calling {
  caller: Caller;
  rawInput: unknown;
  recorded: Recorded;
}

function contextOf(
  ports: GuardPorts,
  target: NamedProcedure,
  { caller, rawInput, recorded }: Calling,
  { actor, scope, resourceId, input }: Checked,
): CallContext {
  const { authenticateAgain } = caller;
  async function write<T>(
    work: () => Promise<T>,
    options: { waitsForNothing: boolean },
    found?: Found<T>,
  ): Promise<T> {
    const isAudited = recorded.audit;
    const result = await ports.transaction(async () => {
      const value = await ports.withinQuota(actor.organizationId, work);
      const organizationId = found?.organizationId?.(value) ?? actor.organizationId;
      const by = { ...actor, organizationId };
      if (!isAudited)
        await ports.recordAudit({
          actor: by,
          procedure: target.path,
          resourceId: resourceId ?? idOf(target, value),
          outcome: 'done',
          ip: caller.ip,
        });
      if (isChange(target)) {
        const place = found?.scope?.(value);
        const { isPresent } = found ?? {};
        await tellChange(ports, { target, actor: by, scope, place, input, answer: value, isPresent });
      }
      return value;
    }, options);
    // Only now are they stored; a commit that failed took them away again.
    Object.assign(recorded, { audit: true, event: true });
    return result;
  }
  const context: CallContext = {
    actor,
    scope,
    ip: caller.ip,
    follow: caller.follow ?? false,
    lastEventId: caller.lastEventId,
    announce: (deploymentId) => caller.announce?.(deploymentId),
    get signal() {
      return caller.signal;
    },
    hasHostReach: () => hasHostReach(ports, target, actor, { scope, input }),
    actorNow: async () =>
      authenticateAgain ? (await check(ports, target, await authenticateAgain(), rawInput)).actor : actor,
    write: (work, found) => write(work, { waitsForNothing: false }, found),
    writeRecord: (work, found) => write(work, { waitsForNothing: true }, found),
  };
  return context;
}

/** A change enters the log with its own transaction; here its refusal does. */
async function* auditedEvents(
  events: AsyncIterable<StreamEvent<unknown>>,
  { recorded }: Admitted,
  audit: (outcome: string) => Promise<void>,
): AsyncIterable<StreamEvent<unknown>> {
  try {
    yield* events;
  } catch (error) {
    if (!recorded.audit) await audit(error instanceof AppError ? error.code : 'INTERNAL_SERVER_ERROR');
    throw error;
  }
}

/** The caller as a member of the organization that the field names. */
async function actorIn(
  ports: GuardPorts,
  target: NamedProcedure,
  actor: Actor,
  { field, input }: { field: string; input: unknown },
): Promise<Actor> {
  const [organizationId] = idsIn(input, field);
  if (organizationId === undefined || organizationId === actor.organizationId) return actor;
  const place =
    actor.apiKeyId === undefined ? await ports.findPlace(actor.userId, organizationId) : undefined;
  if (place) return { ...actor, organizationId, ...place };
  const reference = target.procedure.access.resources.find((one) => one.field === field);
  if (reference && !(await ports.findScope(reference.kind, organizationId, actor.organizationId)))
    throw absent(reference.kind, field);
  throw forbidden(
    target,
    `${field} is not one of your ` +
      `organizations${actor.apiKeyId === undefined ? '' : ', or not the one of this API key'}.`,
  );
}

/** What a refused call named; its input was perhaps not parsed, so only what looks like an id is kept. */
function subjectOf(target: NamedProcedure, rawInput: unknown): string | undefined {
  const [subject] = target.procedure.access.resources
    .filter(({ field }) => !isNested(field))
    .flatMap(({ field }) => idsIn(rawInput, field));
  return subject !== undefined && /^[\w.-]{1,100}$/.test(subject) ? subject : undefined;
}

/** Id of the record that the answer shows: that of the router's noun, else the only one in it. */
function idOf(target: NamedProcedure, answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const ids = new Map(Object.entries(answer).filter(([name]) => name.endsWith('Id')));
  const value =
    ids.get(`${target.path.split('.')[0]}Id`) ?? (ids.size === 1 ? [...ids.values()][0] : undefined);
  return typeof value === 'string' ? value : undefined;
}
