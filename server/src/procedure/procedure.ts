/**
 * What a procedure is: plain data, defined once; both URL forms, OpenAPI, the client and the CLI are walks
 * over it.
 */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { perDatabaseKind } from '../domain/database-kind.ts';
import type { ErrorCode, FlatRefusal } from '../domain/errors.ts';
import type { AccessClass, GrantFlag } from '../domain/access/permissions.ts';
import { wordsOf, type HostReachField } from './host-reach.ts';

/**
 * Kinds of things an id in an input can name, each with what a member needs to name one: assigned to the
 * member, the member's own, a grant, or nothing besides the procedure's own class.
 */
export const resourceKinds = {
  project: 'assigned',
  environment: 'assigned',
  application: 'assigned',
  compose: 'assigned',
  ...perDatabaseKind(() => 'assigned' as const),
  /** A database of any kind, and a service of any: where one field may name several. */
  database: 'assigned',
  service: 'assigned',
  deployment: 'assigned',
  domain: 'assigned',
  port: 'assigned',
  mount: 'assigned',
  redirect: 'assigned',
  basicAuth: 'assigned',
  backup: 'assigned',
  backupRun: 'assigned',
  volumeBackup: 'assigned',
  schedule: 'assigned',
  scheduleRun: 'assigned',
  alarm: 'assigned',
  webhookDelivery: 'assigned',
  previewDeployment: 'assigned',
  sshKey: 'canAccessToSSHKeys',
  registry: 'nothing',
  templateCatalogue: 'nothing',
  server: 'nothing',
  destination: 'nothing',
  logDrain: 'nothing',
  notification: 'nothing',
  certificate: 'nothing',
  certificateResolver: 'nothing',
  certificateOrder: 'nothing',
  dnsProvider: 'nothing',
  organization: 'nothing',
  invitation: 'nothing',
  user: 'nothing',
  apiKey: 'own',
  gitProvider: 'canAccessToGitProviders',
} as const satisfies Record<string, 'assigned' | 'own' | 'nothing' | GrantFlag>;
export type ResourceKind = keyof typeof resourceKinds;

/**
 * An input field that names a thing. Another organization's: 403; none: 404; a member without access: 403.
 */
export interface ResourceReference {
  kind: ResourceKind;
  /**
   * Name of the input field that carries the id, or a list of ids; dots lead into objects
   * (`grants.accessedProjects`) and into each object of a list (`previewDatabases.databaseId`).
   */
  field: string;
  /**
   * A member may see a part of it: the handler filters with `memberReaches` (project and environment reads).
   */
  partial?: boolean;
  /** The installation's Owner and Admin may name another organization's too; nobody else may. */
  acrossOrganizations?: boolean;
  /**
   * With a session the caller's own may also stand in an organization other than the one in use. A key acts
   * in its own organization only.
   */
  ownAnywhere?: boolean;
}

export interface Access {
  /** Who may call at all (interface document, Authentication 8). */
  class: AccessClass;
  /** Only a logged-in session may call, no key (user.createApiKey). */
  sessionOnly?: boolean;
  /**
   * Input field that names the organization the call acts in, when it is not the one in use: one that the
   * caller belongs to, else 403. Class and grant are judged by the caller's place there, and the entry of the
   * audit stands there. A key acts in its own only.
   */
  actsIn?: string;
  /**
   * Input fields that reach the machine itself: with such a value only people with host reach may call
   * (decisions 2).
   */
  hostReach?: readonly HostReachField[];
  /** The handler asks `hasHostReach`: what such people save or approve may reach the machine. */
  decidesHostReach?: boolean;
  /**
   * May be called by whoever must set a second factor up first, because the organization requires one; it is
   * what they need for that.
   */
  beforeTwoFactor?: boolean;
  /** The things the input names, the procedure's own subject first. Optional fields may be absent or null. */
  resources: readonly ResourceReference[];
  /** A member needs this grant besides, or all of these. */
  grant?: GrantFlag | readonly GrantFlag[];
  /** Input fields for which a member needs a grant; clearing one (null) needs none. */
  fieldGrants?: readonly { field: string; grant: GrantFlag }[];
  /** Name of the key-scope action; default: read for queries, write for mutations. */
  action?: string;
  /**
   * Name of the flat refusal that whoever is logged in but may not call this gets instead of the envelope
   * (interface document, Errors: swarm).
   */
  flatRefusal?: FlatRefusal;
}

/** The key-scope action that a call needs. */
export function actionOf({ kind, changes, access }: Pick<Procedure, 'kind' | 'changes' | 'access'>): string {
  const isReading = kind === 'query' || kind === 'subscription' || changes === false;
  return access.action ?? (isReading ? 'read' : 'write');
}

/** What a member needs besides the things named; none for most procedures. */
export function grantsOf({ grant }: Access): readonly GrantFlag[] {
  return grant === undefined ? [] : typeof grant === 'string' ? [grant] : grant;
}

/** When a call needs host reach, for people. */
export const hostReachOf = ({ hostReach }: Access): string[] => (hostReach ?? []).map(wordsOf);

/** Whether some of its calls need host reach, which a narrowed key has only when it names it. */
export const needsHostReach = ({ access }: Pick<Procedure, 'access'>): boolean =>
  access.hostReach !== undefined || access.decidesHostReach === true;

export type ProcedureKind = 'query' | 'mutation' | 'subscription' | 'upload';

export interface Procedure<
  I extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  K extends ProcedureKind = ProcedureKind,
> {
  readonly kind: K;
  /** One line, for the reference. */
  readonly summary: string;
  /** Choices and effects that the summary does not tell. */
  readonly description?: string;
  readonly access: Access;
  readonly input: I;
  /** A good input, where its required fields alone do not make one. */
  readonly example?: z.input<I>;
  /** Of a subscription: the type of one event. */
  readonly output: O;
  /**
   * Of a subscription, `true`: it changes something, so it is a POST and audited as a mutation is. Of a
   * mutation, `false`: it only reads, and is a POST since its input may be longer than an address.
   */
  readonly changes?: boolean;
  /**
   * Of a change: its answer shows secrets to whoever may read them, as `one` does. Other changes show them to
   * nobody.
   */
  readonly answersLikeOne?: true;
  /**
   * Of a subscription: the JSON that a caller gets who asked for no stream, once it has ended; absent:
   * `{lines, lastEventId}` with what there is now.
   */
  readonly whole?: Whole;
  /**
   * What its handler refuses with, besides the refusals of guard and transport, which every procedure has. A
   * refusal that is not written here fails the conformance suite.
   */
  readonly refusals?: readonly (ErrorCode | FlatRefusal)[];
}

/** All events of a subscription as one value. */
export interface Whole {
  readonly output: z.ZodType;
  of(events: readonly unknown[]): unknown;
}

type Definition<I extends z.ZodType, O extends z.ZodType> = Omit<Procedure<I, O>, 'kind'>;

/** Whether a call changes nothing: queries, streams that only show, and mutations that say so. */
export const isRead = ({ kind, changes }: Pick<Procedure, 'kind' | 'changes'>): boolean =>
  kind === 'query' || (kind === 'subscription' && changes !== true) || changes === false;

/** Whatever changes something is a POST, also where its answer is a stream (decisions 2 and 7). */
export const verbOf = ({ kind, changes }: Pick<Procedure, 'kind' | 'changes'>): 'GET' | 'POST' =>
  kind !== 'mutation' && isRead({ kind, changes }) ? 'GET' : 'POST';

export const query = <I extends z.ZodType, O extends z.ZodType>(
  definition: Definition<I, O>,
): Procedure<I, O, 'query'> => ({ kind: 'query', ...definition });
export const mutation = <I extends z.ZodType, O extends z.ZodType>(
  definition: Definition<I, O>,
): Procedure<I, O, 'mutation'> => ({ kind: 'mutation', ...definition });
export const subscription = <I extends z.ZodType, O extends z.ZodType>(
  definition: Definition<I, O>,
): Procedure<I, O, 'subscription'> => ({ kind: 'subscription', ...definition });
/**
 * A mutation whose body is a file; the input comes from the query string or the form's fields before the
 * file.
 */
export const upload = <I extends z.ZodType, O extends z.ZodType>(
  definition: Definition<I, O>,
): Procedure<I, O, 'upload'> => ({ kind: 'upload', ...definition });

/** The procedures of one router. */
export type Contract = Readonly<Record<string, Procedure>>;

/** One event of a subscription: `id` is the position a broken connection resumes after. */
export interface StreamEvent<T> {
  id: string;
  data: T;
  /** This very object goes to several readers, unchanged: what is made of it is made once. */
  isShared?: true;
}

export interface UploadedFile {
  fileName: string;
  content: Readable;
  /** Bytes of the body it came in, where the request says. */
  bytes?: number | undefined;
}

/** What a handler of this procedure is. */
export type Handler<P extends Procedure, X> =
  P extends Procedure<infer I, infer O, infer K>
    ? K extends 'subscription'
      ? (context: X, input: z.output<I>) => AsyncIterable<StreamEvent<z.input<O>>>
      : K extends 'upload'
        ? (context: X, input: z.output<I>, file: UploadedFile) => Promise<z.input<O>>
        : (context: X, input: z.output<I>) => Promise<z.input<O>>
    : never;

/** A handler for every procedure of a contract; a missing one does not compile. */
export type Handlers<C extends Contract, X> = { readonly [K in keyof C]: Handler<C[K], X> };
