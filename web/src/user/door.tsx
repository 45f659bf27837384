/** Sign-in, sign-up and invitations: what stands before the dashboard, and over it when a session ends. */
import { useEffect, useState, type FormEvent, type ReactElement } from 'react';
import { faultsOf } from '../form/faults.ts';
import { TextField } from '../form/text-field.tsx';
import {
  needsCode,
  signIn,
  signUp,
  useDoorState,
  useInvitation,
  useSession,
  type InvitationCard,
  type Session,
} from '../live/account.ts';
import { ask } from '../live/api.ts';
import { Go, useGo } from '../frame/link.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault, Notice, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { texts } from './texts.ts';

type Kind = 'sign-in' | 'sign-up' | 'join';
const titles = { 'sign-in': texts.signIn, 'sign-up': texts.signUp, join: texts.join } satisfies Record<
  Kind,
  string
>;

const tokenKey = 'berth-invitation';

/**
 * The token stands behind the #, which no server and no preview of a link ever sees. It is taken out of the
 * history of the browser, and kept for this tab until it is used, so that the page can be loaded again.
 */
function tokenOfAddress(): string {
  const given = decodeURIComponent(location.hash.slice(1));
  if (given === '') return sessionStorage.getItem(tokenKey) ?? '';
  sessionStorage.setItem(tokenKey, given);
  history.replaceState(history.state, '', location.pathname);
  return given;
}

const forgetToken = (): void => sessionStorage.removeItem(tokenKey);

export function Door({ kind }: { kind: Kind }): ReactElement {
  const { data: session } = useSession();
  const { data: state, error } = useDoorState();
  const go = useGo();
  const next = new URLSearchParams(location.search).get('next');
  const target = next?.startsWith('/') && !next.startsWith('//') ? next : '/';
  useEffect(() => {
    document.title = `${titles[kind]} · Berth`;
    if (kind === 'sign-in' && state?.awaitsFirstAccount) go(`/sign-up${location.hash}`, { replace: true });
  }, [kind, state, go]);
  useEffect(() => {
    if (session && kind === 'sign-in') go(target, { replace: true });
  }, [session, kind, target, go]);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-[360px]">
        <img src="/berth.svg" alt="Berth" width={40} height={40} className="mb-6" />
        {kind === 'sign-in' && (
          <>
            <SignInForm title onDone={() => go(target)} />
            <p className="mt-6 text-center text-13 text-muted">{texts.forgotten}</p>
          </>
        )}
        {/* Whether it is the first account decides what is asked for, and where it leads. */}
        {kind === 'sign-up' &&
          (state ? (
            <SignUpForm isFirst={state.awaitsFirstAccount} needsToken={state.needsToken} />
          ) : error ? (
            <ReadFault error={error} />
          ) : (
            <SkeletonRows rows={4} />
          ))}
        {kind === 'join' && session !== undefined && <Join session={session} />}
      </div>
    </main>
  );
}

function SignInForm({
  onDone,
  title = false,
  token,
  email: known = '',
}: {
  onDone: () => void;
  title?: boolean;
  token?: string;
  /** The one address that the token is for. */
  email?: string;
}): ReactElement {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | undefined>();
  const { error, isBusy, submit } = useSubmit(async () => {
    try {
      await signIn({ email, password, ...(code ? { code } : {}), ...(token ? { token } : {}) });
    } catch (fault) {
      if (needsCode(fault) && code === undefined) return setCode('');
      throw fault;
    }
    if (token) forgetToken();
    onDone();
  });
  return (
    <form className="grid gap-4" onSubmit={submit}>
      {title && <h1 className="text-20">{texts.signIn}</h1>}
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onEdit={setEmail}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onEdit={setPassword}
      />
      {code !== undefined && (
        <TextField
          label={texts.code}
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          required
          value={code}
          onEdit={setCode}
        />
      )}
      <Fault error={error} />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {texts.signIn}
      </Button>
    </form>
  );
}

function SignUpForm({
  isFirst,
  needsToken,
  invitation,
}: {
  isFirst: boolean;
  needsToken: boolean;
  invitation?: InvitationCard;
}): ReactElement {
  const go = useGo();
  const [values, setValues] = useState(() => ({
    name: '',
    email: invitation?.email ?? '',
    password: '',
    token: tokenOfAddress(),
  }));
  const [cameWithToken] = useState(values.token !== '');
  const set = (name: keyof typeof values) => (value: string) =>
    setValues((former) => ({ ...former, [name]: value }));
  const { error, isBusy, submit } = useSubmit(async () => {
    const { token, ...account } = values;
    await signUp({ ...account, ...(token ? { token } : {}) });
    forgetToken();
    go(isFirst ? '/new' : '/', { replace: true });
  });
  const faults = faultsOf(error);
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <div>
        <h1 className="text-20">{invitation ? texts.joined(invitation) : texts.signUp}</h1>
        <p className="mt-1 text-13 text-muted">
          {invitation ? texts.invited(invitation) : isFirst ? texts.first : texts.later}
        </p>
      </div>
      <TextField
        label="Name"
        autoComplete="name"
        required
        autoFocus
        value={values.name}
        onEdit={set('name')}
        fault={faults['name']}
      />
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        required
        readOnly={invitation !== undefined}
        value={values.email}
        onEdit={set('email')}
        fault={faults['email']}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        value={values.password}
        onEdit={set('password')}
        fault={faults['password']}
      />
      {needsToken && !invitation && (!cameWithToken || error !== null) && (
        <TextField
          label={isFirst ? texts.token : 'Token of the invitation'}
          help={isFirst ? texts.tokenHelp : undefined}
          autoComplete="off"
          className="mono"
          value={values.token}
          onEdit={set('token')}
          fault={faults['token']}
        />
      )}
      <Fault error={Object.keys(faults).length > 0 ? null : error} />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {texts.signUp}
      </Button>
      {!isFirst && !invitation && (
        <Go to="/sign-in" className="text-center text-13 text-muted">
          Sign in instead
        </Go>
      )}
    </form>
  );
}

/** Those who have an account accept; the others make one with the same token. */
function Join({ session }: { session: Session | null }): ReactElement {
  const go = useGo();
  const [token] = useState(tokenOfAddress);
  const [hasAccount, setAccount] = useState(false);
  const { data: invitation, error } = useInvitation(token);
  if (token === '') return <Notice>This address is missing its token. Ask for the complete link.</Notice>;
  if (error) return <ReadFault error={error} />;
  if (invitation === undefined) return <SkeletonRows rows={4} />;
  if (invitation === null)
    return (
      <div className="grid gap-4">
        <h1 className="text-20">{texts.join}</h1>
        <Notice>{texts.unusable}</Notice>
        <Go to={session ? '/' : '/sign-in'} className="text-center text-13 text-muted">
          {session ? 'Home' : 'Sign in'}
        </Go>
      </div>
    );
  if (session) return <Accept {...{ token, invitation, session }} />;
  return (
    <div className="grid gap-4">
      {hasAccount ? (
        <>
          <p className="text-13 text-muted">{texts.invited(invitation)}</p>
          <SignInForm title token={token} email={invitation.email} onDone={() => go('/')} />
        </>
      ) : (
        <SignUpForm isFirst={false} needsToken invitation={invitation} />
      )}
      <Button look="quiet" onClick={() => setAccount(!hasAccount)}>
        {hasAccount ? 'I have no account yet' : 'I have an account'}
      </Button>
    </div>
  );
}

/** One press joins, and leads into the organization that was joined. */
function Accept({
  token,
  invitation,
  session,
}: {
  token: string;
  invitation: InvitationCard;
  session: Session;
}): ReactElement {
  const { error, isBusy, submit } = useSubmit(async () => {
    const { organizationId } = await ask('organization.accept', { token });
    forgetToken();
    await ask('organization.setActive', { organizationId });
    location.assign('/');
  });
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <div>
        <h1 className="text-20">{texts.joined(invitation)}</h1>
        <p className="mt-1 text-13 text-muted">{texts.invited(invitation)}</p>
      </div>
      {session.user.email !== invitation.email && (
        <Notice tone="warn">{texts.otherAccount(session.user.email, invitation.email)}</Notice>
      )}
      <Fault error={error} />
      <Button type="submit" look="primary" isBusy={isBusy}>
        Join
      </Button>
    </form>
  );
}

/** Over the page, which stays as it is. */
export function SignInOver(): ReactElement {
  return (
    <Dialog title={texts.signIn} onClose={() => undefined}>
      <div className="grid gap-4">
        <Notice>{texts.over}</Notice>
        <SignInForm onDone={() => undefined} />
      </div>
    </Dialog>
  );
}

function useSubmit(work: () => Promise<unknown>): {
  error: unknown;
  isBusy: boolean;
  submit: (event: FormEvent) => void;
} {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  return {
    error,
    isBusy,
    submit(event) {
      event.preventDefault();
      setBusy(true);
      setError(null);
      void work()
        .catch(setError)
        .finally(() => setBusy(false));
    },
  };
}
