/**
 * A Berth in miniature for the tests of client and CLI: the real transport, guard and contracts; behind a few
 * procedures, answers written here.
 */
import type { AddressInfo } from 'node:net';
import { AppError } from '../server/src/domain/errors.ts';
import { noGrants } from '../server/src/domain/access/permissions.ts';
import { applicationContract } from '../server/src/modules/application/contract.ts';
import { deploymentContract } from '../server/src/modules/deployment/contract.ts';
import { userContract } from '../server/src/modules/user/contract.ts';
import { createGuard, type GuardPorts } from '../server/src/procedure/guard.ts';
import type { CallContext } from '../server/src/procedure/context.ts';
import { createRegistry, router, type Router } from '../server/src/procedure/registry.ts';
import type { Handlers } from '../server/src/procedure/procedure.ts';
import { createHttpServer } from '../server/src/transport/http.ts';
import { addAuthRoutes } from '../server/src/transport/entrance/auth-routes.ts';
import { cookieJar } from '../server/src/transport/entrance/cookies.ts';

export interface ContractServer {
  url: string;
  /** Inputs of the changes it was asked for. */
  seen: unknown[];
  /** Tokens of invitations that came with sign-ups and sign-ins. */
  tokens: string[];
  /** Tokens of sessions that were ended. */
  signedOut: string[];
  close(): Promise<void>;
}

export const goodKey = 'berth_good';
const session = {
  user: { id: 'u1', email: 'ann@example.com', name: 'Ann' },
  organizationId: 'o1',
  token: 'session-token',
  device: 'device',
  expiresAt: Date.now() + 60_000,
};

/** A member without grants. */
const keyless = {
  ...session,
  user: { id: 'u2', email: 'keyless@example.com', name: 'Keyless' },
  token: 'keyless-token',
};
/** Has a second factor. */
const careful = {
  ...session,
  user: { id: 'u3', email: 'careful@example.com', name: 'Careful' },
  token: 'careful-token',
};
const sessions = [session, keyless, careful];
export const goodCode = '123456';

const guardPorts: GuardPorts = {
  withinQuota: (_organizationId, work) => work(),
  referable: async () => ({ services: [], texts: [] }),
  findScope: async (_kind, id) => (id === 'gone' ? undefined : { organizationId: 'o1' }),
  findPlace: async () => ({ role: 'owner', grants: noGrants, lacksTwoFactor: false }),
  ownsServer: async () => false,
  standingOf: async () => 'installation',
  transaction: (work) => work(),
  recordAudit: async () => undefined,
  tell: async () => undefined,
};

/** Deployment `gone` does not exist, `bad` ends in error, `refused` cannot be read now. */
export async function startContractServer(): Promise<ContractServer> {
  const seen: unknown[] = [];
  const tokens: string[] = [];
  const signedOut: string[] = [];
  const open = ({ email, token }: { email: string; token?: string | undefined }): typeof session => {
    if (token !== undefined) tokens.push(token);
    return sessions.find(({ user }) => user.email === email) ?? session;
  };
  const cookies = cookieJar(() => false);
  const app = createHttpServer({
    registry: createRegistry(routers(seen)),
    guard: createGuard(guardPorts),
    cookies,
    authenticate: async ({ apiKey, sessionTokens }) => {
      const known = sessions.find(({ token }) => sessionTokens.includes(token));
      if (apiKey !== goodKey && !known)
        throw new AppError('UNAUTHORIZED', 'This key is not valid. Make a new one.');
      return {
        userId: known?.user.id ?? 'u1',
        organizationId: 'o1',
        role: known === keyless ? 'member' : 'owner',
        grants: noGrants,
        permissions: undefined,
        apiKeyId: apiKey === undefined ? undefined : 'k1',
        sessionId: apiKey === undefined ? 's1' : undefined,
      };
    },
    log: { fault: () => undefined },
    version: '1',
    uploadLimit: async () => 1_000_000,
    liveStreamLimit: async () => 50,
    answerLimit: async () => 1024 * 1024,
    openapi: () => '{}',
  });
  addAuthRoutes(
    app,
    {
      signUp: async (input) => open(input),
      signIn: async (input) => {
        if (input.password !== 'right password')
          throw new AppError('UNAUTHORIZED', 'E-mail or password is wrong.');
        if (input.email === careful.user.email && input.code !== goodCode)
          throw new AppError('UNAUTHORIZED', 'A code is needed.', { needs: 'code' });
        return open(input);
      },
      signOut: async (given) => void signedOut.push(...given),
      session: async () => undefined,
      awaitsFirstAccount: async () => false,
      invitation: async () => undefined,
    },
    {
      cookies,
      toError: (error) =>
        error instanceof AppError ? error : new AppError('INTERNAL_SERVER_ERROR', String(error)),
    },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen, tokens, signedOut, close: () => app.close() };
}

function routers(seen: unknown[]): Router[] {
  const { deploy, dropDeployment, update, run } = applicationContract;
  const { one, readLogs, logs } = deploymentContract;
  const application = { deploy, dropDeployment, update, run };
  const deployment = { one, readLogs, logs };
  const note = <T>(input: unknown, answer: T): T => {
    seen.push(input);
    return answer;
  };
  const applicationHandlers: Handlers<typeof application, CallContext> = {
    deploy: async (_context, input) => note<true>(input, true),
    update: async (_context, input) => note(input, { success: true as const }),
    run: async (_context, input) =>
      note(input, {
        exitCode: input.command[0] === 'lost' ? null : input.command.length,
        error: '',
        log: [],
      }),
    dropDeployment: async (_context, input, { fileName, content }) =>
      note<true>(
        { ...input, fileName, text: Buffer.concat(await Array.fromAsync(content)).toString() },
        true,
      ),
  };
  const deploymentHandlers: Handlers<typeof deployment, CallContext> = {
    one: async () => {
      throw new AppError('PRECONDITION_FAILED', 'Not now. Try later.');
    },
    readLogs: async (_context, { tail }) => ['first', 'second'].slice(-(tail ?? 2)),
    async *logs({ lastEventId }, { deploymentId }) {
      for (let position = Number(lastEventId ?? 0) + 1; position <= 3; position += 1)
        yield { id: String(position), data: { type: 'line', text: `line ${position}` } };
      yield { id: '3', data: { type: 'end', outcome: deploymentId === 'bad' ? 'error' : 'done' } };
    },
  };
  return [
    router('application', application, applicationHandlers),
    router('deployment', deployment, deploymentHandlers),
    router('user', userContract, userHandlers(note)),
  ];
}

const twoFactorOff = { enabled: false, recoveryCodesLeft: 0, required: false };

function userHandlers(note: <T>(input: unknown, answer: T) => T): Handlers<typeof userContract, CallContext> {
  const createdAt = '2026-11-20T00:00:00.000Z';
  const key = {
    id: 'k1',
    name: 'key',
    prefix: null,
    start: 'berth_',
    enabled: true,
    createdAt,
    expiresAt: null,
    lastRequestAt: null,
    remaining: null,
    refillAmount: null,
    refillInterval: null,
    rateLimitEnabled: false,
    rateLimitTimeWindow: null,
    rateLimitMax: null,
  };
  return {
    get: async ({ actor }) => ({
      ...(sessions.find(({ user }) => user.id === actor.userId) ?? session).user,
      role: 'owner',
      grants: noGrants,
      twoFactor: false,
      organizationId: 'o1',
      createdAt,
      apiKeys: [],
    }),
    delete: async (_context, input) => note(input, { ...session.user, createdAt }),
    twoFactor: async () => twoFactorOff,
    twoFactorSetUp: async (_context, input) =>
      note(input, { secret: 'MZXW6YTB', otpauthUrl: 'otpauth://totp/Berth' }),
    twoFactorConfirm: async (_context, input) => note(input, { recoveryCodes: [] }),
    twoFactorDisable: async (_context, input) => note(input, twoFactorOff),
    twoFactorNewRecoveryCodes: async (_context, input) => note(input, { recoveryCodes: [] }),
    changePassword: async (_context, input) => note(input, { ...session.user, createdAt }),
    sessions: async () => [],
    endSession: async (_context, input) =>
      note(input, {
        sessionId: 's1',
        createdAt,
        expiresAt: createdAt,
        ip: '',
        userAgent: '',
        current: false,
      }),
    createApiKey: async (_context, input) =>
      note(input, { id: 'k1', key: goodKey, name: input.name, createdAt }),
    deleteApiKey: async (_context, input) => note(input, key),
  };
}
