/** Sign-up, sign-in, sign-out, session state (decisions 2): the only routes that need no login and set a cookie. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AppError } from '../domain/errors.ts';
import { emailField, newPasswordField, tokenField } from '../modules/user/record.ts';
import { parseInput } from '../procedure/input.ts';
import { errorAnswer } from './envelope.ts';
import { sessionCookie, sessionTokenOf } from './request.ts';
import { sendJson } from './wire.ts';

export interface SessionAnswer {
  user: { id: string; email: string; name: string };
  organizationId: string;
  token: string;
  expiresAt: number;
}

/** What the routes need of the accounts. */
export interface SignInDoor {
  signUp(
    input: z.output<typeof signUpInput>,
    origin: { ip: string; userAgent: string },
  ): Promise<SessionAnswer>;
  signIn(
    input: z.output<typeof signInInput>,
    origin: { ip: string; userAgent: string },
  ): Promise<SessionAnswer>;
  signOut(token: string, ip: string): Promise<void>;
  /** The session of a token, or undefined. */
  session(token: string): Promise<
    | {
        user: { id: string; email: string; name: string };
        session: { id: string; activeOrganizationId: string; expiresAt: string };
      }
    | undefined
  >;
}

const token = tokenField.nullish().transform((value) => value ?? undefined);
export const signUpInput = z.object({
  name: z.string().min(1).max(100),
  email: emailField,
  password: newPasswordField,
  token,
});
export const signInInput = z.object({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1024),
  token,
});

export function addAuthRoutes(
  app: FastifyInstance,
  door: SignInDoor,
  options: { isHttps: boolean; toError(error: unknown, path: string | undefined): AppError },
): void {
  const answered =
    (path: string, work: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      try {
        sendJson(reply, await work(request, reply));
      } catch (error) {
        const answer = errorAnswer(options.toError(error, path), path, 'form-b');
        void reply.code(answer.status).headers(answer.headers);
        sendJson(reply, answer.body);
      }
    };
  const originOf = (request: FastifyRequest): { ip: string; userAgent: string } => ({
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
  });
  const opened = (reply: FastifyReply, session: SessionAnswer): unknown => {
    void reply.header(
      'set-cookie',
      cookie(session.token, new Date(session.expiresAt).toUTCString(), options.isHttps),
    );
    return {
      user: session.user,
      organizationId: session.organizationId,
      expiresAt: new Date(session.expiresAt).toISOString(),
    };
  };

  app.post(
    '/api/auth/sign-up/email',
    answered('auth.signUp', async (request, reply) =>
      opened(
        reply,
        await door.signUp(signUpInput.parse(parseInput(signUpInput, request.body)), originOf(request)),
      ),
    ),
  );
  app.post(
    '/api/auth/sign-in/email',
    answered('auth.signIn', async (request, reply) =>
      opened(
        reply,
        await door.signIn(signInInput.parse(parseInput(signInInput, request.body)), originOf(request)),
      ),
    ),
  );
  app.post(
    '/api/auth/sign-out',
    answered('auth.signOut', async (request, reply) => {
      const cookieToken = sessionTokenOf(request);
      if (cookieToken) await door.signOut(cookieToken, request.ip);
      void reply.header('set-cookie', cookie('', new Date(0).toUTCString(), options.isHttps));
      return { success: true };
    }),
  );
  app.get(
    '/api/auth/get-session',
    answered('auth.getSession', async (request) => {
      const cookieToken = sessionTokenOf(request);
      return (cookieToken && (await door.session(cookieToken))) || null;
    }),
  );
}

function cookie(value: string, expires: string, isHttps: boolean): string {
  return `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Lax; Expires=${expires}${isHttps ? '; Secure' : ''}`;
}
