/** Sign-up, sign-in, sign-out and who is signed in: the routes below /api/auth. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { BerthError } from '../../../client/berth-error.ts';
import { answerOf, send } from '../../../client/call.ts';
import { queries } from './api.ts';
import { noteSignedIn } from './session-ended.ts';

const connection = { url: location.origin };

async function auth<T>(route: string, body?: Record<string, unknown>): Promise<T> {
  const response = await send(connection, `auth/${route}`, {
    signal: AbortSignal.timeout(60_000),
    ...(body === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return (await answerOf(response, connection)) as T;
}

export interface Session {
  user: { id: string; name: string; email: string };
  session: { id: string; activeOrganizationId: string; expiresAt: string };
}

export interface DoorState {
  awaitsFirstAccount: boolean;
  needsToken: boolean;
}

export const useSession = (): UseQueryResult<Session | null> =>
  useQuery({ queryKey: ['session'], queryFn: () => auth<Session | null>('get-session'), staleTime: 60_000 });

export const useDoorState = (): UseQueryResult<DoorState> =>
  useQuery({ queryKey: ['door'], queryFn: () => auth<DoorState>('state') });

export interface InvitationCard {
  organization: string;
  /** Name of the person who sent it. */
  invitedBy: string;
  email: string;
  role: string;
  expiresAt: string;
}

/** null: the token cannot be used. */
export const useInvitation = (token: string): UseQueryResult<InvitationCard | null> =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: () => auth<InvitationCard | null>('invitation', { token }),
    enabled: token !== '',
    retry: 1,
  });

export interface SignIn {
  email: string;
  password: string;
  code?: string;
  token?: string;
}

export async function signIn(input: SignIn): Promise<void> {
  await auth('sign-in/email', { ...input });
  await begun();
}

export async function signUp(input: {
  name: string;
  email: string;
  password: string;
  token?: string;
}): Promise<void> {
  await auth('sign-up/email', input);
  await begun();
}

export async function signOut(): Promise<void> {
  await auth('sign-out', {});
  queries.clear();
  location.assign('/sign-in');
}

async function begun(): Promise<void> {
  noteSignedIn();
  await queries.fetchQuery({ queryKey: ['session'], queryFn: () => auth<Session | null>('get-session') });
  void queries.invalidateQueries();
}

export const needsCode = (error: unknown): boolean => (error as BerthError | undefined)?.needs === 'code';
