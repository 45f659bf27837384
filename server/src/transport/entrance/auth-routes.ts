/**
 * Sign-up, sign-in, sign-out, session state (decisions 2): the only routes that need no login and set a
 * cookie.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { codeField, emailField, newPasswordField, tokenField } from '../../modules/user/record.ts';
import { parseInput } from '../../procedure/input/input.ts';
import type { CookieJar } from './cookies.ts';
import { errorAnswer } from '../envelope.ts';
import { isFromThisMachine } from './from-this-machine.ts';
import { requireSameOrigin } from './same-origin.ts';
import { sendJson } from '../wire.ts';

export interface SessionAnswer {
  user: { id: string; email: string; name: string };
  organizationId: string;
  token: string;
  /** Value of the device's cookie. */
  device: string;
  expiresAt: number;
}

/** Where a request came from. */
export interface RequestOrigin {
  ip: string;
  userAgent: string;
  device: string | undefined;
  /** Whether it was made on the machine itself. */
  isLocal: boolean;
}

/** What the routes need of the accounts. */
export interface SignInDoor {
  signUp(input: z.output<typeof signUpInput>, origin: RequestOrigin): Promise<SessionAnswer>;
  signIn(input: z.output<typeof signInInput>, origin: RequestOrigin): Promise<SessionAnswer>;
  signOut(tokens: readonly string[], ip: string): Promise<void>;
  /** The session of these tokens, or undefined; UNAUTHORIZED when there are two. */
  session(tokens: readonly string[]): Promise<
    | {
        user: { id: string; email: string; name: string };
        session: { id: string; activeOrganizationId: string; expiresAt: string };
      }
    | undefined
  >;
  /** Whether the first account is still to be made. */
  awaitsFirstAccount(): Promise<boolean>;
  /** The open invitation of a token; undefined for every token that cannot be used. */
  invitation(
    token: string,
  ): Promise<
    { organization: string; invitedBy: string; email: string; role: string; expiresAt: string } | undefined
  >;
}

const optional = <T extends z.ZodType>(field: T) => field.nullish().transform((value) => value ?? undefined);
export const signUpInput = z.object({
  name: z.string().min(1).max(100),
  email: emailField,
  password: newPasswordField,
  token: optional(tokenField),
});
export const signInInput = z.object({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1024),
  token: optional(tokenField),
  code: optional(codeField),
});

/** In the body: an address would stand in logs. */
export const invitationInput = z.object({ token: tokenField });

/** As long as a browser keeps it; each sign-in begins anew. */
const deviceLifetimeMs = 365 * 24 * 3_600_000;

export interface AuthRouteOptions {
  cookies: CookieJar;
  /** The https address of Berth, where it has one whose certificate browsers trust. */
  secureAddress?: (() => Promise<string | undefined>) | undefined;
  toError(error: unknown, path: string | undefined): AppError;
}

type Work = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export function addAuthRoutes(
  app: FastifyInstance,
  door: SignInDoor,
  { cookies, secureAddress, toError }: AuthRouteOptions,
): void {
  const answered = answering(toError);
  app.post(
    '/api/auth/sign-up/email',
    answered('auth.signUp', async (request, reply) => {
      const input = signUpInput.parse(parseInput(signUpInput, request.body));
      await requireRightAddress(request, secureAddress);
      return opened(cookies, request, reply, await door.signUp(input, originOf(request, cookies)));
    }),
  );
  app.post(
    '/api/auth/sign-in/email',
    answered('auth.signIn', async (request, reply) => {
      const input = signInInput.parse(parseInput(signInInput, request.body));
      await requireRightAddress(request, secureAddress);
      return opened(cookies, request, reply, await door.signIn(input, originOf(request, cookies)));
    }),
  );
  app.post(
    '/api/auth/sign-out',
    answered('auth.signOut', async (request, reply) => {
      await door.signOut(cookies.sessionTokens(request), request.ip);
      void reply.header('set-cookie', cookies.setSession(request, '', 0));
      return { success: true };
    }),
  );
  addStateRoutes(app, door, cookies, answered);
}

/** Who is signed in, and what can be done without. */
function addStateRoutes(
  app: FastifyInstance,
  door: SignInDoor,
  cookies: CookieJar,
  answered: ReturnType<typeof answering>,
): void {
  app.get(
    '/api/auth/get-session',
    answered(
      'auth.getSession',
      async (request) => (await door.session(cookies.sessionTokens(request))) ?? null,
    ),
  );
  app.post(
    '/api/auth/invitation',
    answered('auth.invitation', async (request) => {
      const { token } = invitationInput.parse(parseInput(invitationInput, request.body));
      return (await door.invitation(token)) ?? null;
    }),
  );
  app.get(
    '/api/auth/state',
    answered('auth.state', async (request) => {
      const awaitsFirstAccount = await door.awaitsFirstAccount();
      return { awaitsFirstAccount, needsToken: !(awaitsFirstAccount && isFromThisMachine(request)) };
    }),
  );
}

const answering =
  (toError: AuthRouteOptions['toError']) =>
  (path: string, work: Work) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      if (request.method !== 'GET') requireSameOrigin(request);
      sendJson(reply, await work(request, reply));
    } catch (error) {
      const answer = errorAnswer(toError(error, path), path, 'form-b');
      void reply.code(answer.status).headers(answer.headers);
      sendJson(reply, answer.body);
    }
  };

function originOf(request: FastifyRequest, cookies: CookieJar): RequestOrigin {
  return {
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    device: cookies.device(request),
    isLocal: isFromThisMachine(request),
  };
}

/**
 * Where Berth has a secure address, nobody sends a password to another one in the clear: whatever else
 * answers at that host name would be given the session. The machine itself stays open, so that a lost name
 * locks nobody out. Throws PRECONDITION_FAILED with the right address.
 */
async function requireRightAddress(
  request: FastifyRequest,
  secureAddress: AuthRouteOptions['secureAddress'],
): Promise<void> {
  if (request.protocol === 'https' || isFromThisMachine(request)) return;
  const address = await secureAddress?.();
  if (address === undefined) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `Sign in at ${address}: this address is not https, and others could take the session. If that name no ` +
      'longer points here, sign in on the machine itself, through loopback, and change the setting host.',
  );
}

function opened(
  cookies: CookieJar,
  request: FastifyRequest,
  reply: FastifyReply,
  session: SessionAnswer,
): unknown {
  const { user, organizationId, token, device, expiresAt } = session;
  void reply.header('set-cookie', [
    cookies.setSession(request, token, expiresAt),
    cookies.setDevice(request, device, expiresAt + deviceLifetimeMs),
  ]);
  return { user, organizationId, expiresAt: new Date(expiresAt).toISOString() };
}
