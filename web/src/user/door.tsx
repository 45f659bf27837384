/** Sign-in, sign-up and invitations: what stands before the dashboard, and over it when a session ends. */
import { useEffect, useState, type FormEvent, type ReactElement } from 'react';
import { faultsOf } from '../form/words.tsx';
import { TextField } from '../form/text-field.tsx';
import { needsCode, signIn, signUp, useDoorState, useSession } from '../live/account.ts';
import { ask } from '../live/api.ts';
import { Go, useGo } from '../frame/link.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault, Notice, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { texts } from './texts.ts';

type Kind = 'sign-in' | 'sign-up' | 'join';

/** The token stands behind the #, which no server and no preview of a link ever sees. */
const tokenOfAddress = (): string => decodeURIComponent(location.hash.slice(1));

export function Door({ kind }: { kind: Kind }): ReactElement {
  const { data: session } = useSession();
  const { data: state, error } = useDoorState();
  const go = useGo();
  const next = new URLSearchParams(location.search).get('next');
  const target = next?.startsWith('/') && !next.startsWith('//') ? next : '/';
  useEffect(() => {
    document.title = 'Sign in · Berth';
    if (kind === 'sign-in' && state?.awaitsFirstAccount) go(`/sign-up${location.hash}`, { replace: true });
  }, [kind, state, go]);
  useEffect(() => {
    if (session && kind === 'sign-in') go(target, { replace: true });
  }, [session, kind, target, go]);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-[360px]">
        <img src="/berth.svg" alt="Berth" width={40} height={40} className="mb-6" />
        {kind === 'sign-in' && <SignInForm title onDone={() => go(target)} />}
        {/* Whether it is the first account decides what is asked for, and where it leads. */}
        {kind === 'sign-up' &&
          (state ? (
            <SignUpForm isFirst={state.awaitsFirstAccount} needsToken={state.needsToken} />
          ) : error ? (
            <ReadFault error={error} />
          ) : (
            <SkeletonRows rows={4} />
          ))}
        {kind === 'join' && <Join isSignedIn={session != null} />}
      </div>
    </main>
  );
}

function SignInForm({
  onDone,
  title = false,
  token,
}: {
  onDone: () => void;
  title?: boolean;
  token?: string;
}): ReactElement {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | undefined>();
  const { error, isBusy, submit } = useSubmit(async () => {
    try {
      await signIn({ email, password, ...(code ? { code } : {}), ...(token ? { token } : {}) });
    } catch (fault) {
      if (needsCode(fault) && code === undefined) return setCode('');
      throw fault;
    }
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

function SignUpForm({ isFirst, needsToken }: { isFirst: boolean; needsToken: boolean }): ReactElement {
  const go = useGo();
  const [values, setValues] = useState({ name: '', email: '', password: '', token: tokenOfAddress() });
  const [cameWithToken] = useState(values.token !== '');
  useEffect(() => {
    // It is in the form now; nobody needs it in the history of the browser.
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname);
  }, []);
  const set = (name: keyof typeof values) => (value: string) =>
    setValues((former) => ({ ...former, [name]: value }));
  const { error, isBusy, submit } = useSubmit(async () => {
    const { token, ...account } = values;
    await signUp({ ...account, ...(token ? { token } : {}) });
    go(isFirst ? '/new' : '/', { replace: true });
  });
  const faults = faultsOf(error);
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <div>
        <h1 className="text-20">{texts.signUp}</h1>
        <p className="mt-1 text-13 text-muted">{isFirst ? texts.first : texts.later}</p>
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
      {needsToken && (!cameWithToken || faults['token'] !== undefined) && (
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
      {!isFirst && (
        <Go to="/sign-in" className="text-center text-13 text-muted">
          Sign in instead
        </Go>
      )}
    </form>
  );
}

/** Those who have an account accept; the others make one with the same token. */
function Join({ isSignedIn }: { isSignedIn: boolean }): ReactElement {
  const go = useGo();
  const [token] = useState(tokenOfAddress);
  const [hasAccount, setAccount] = useState(false);
  const { error, isBusy, submit } = useSubmit(async () => {
    await ask('organization.accept', { token });
    location.assign('/');
  });
  if (token === '') return <Notice>This address is missing its token. Ask for the complete link.</Notice>;
  if (isSignedIn)
    return (
      <form className="grid gap-4" onSubmit={submit}>
        <h1 className="text-20">Join the organization</h1>
        <Fault error={error} />
        <Button type="submit" look="primary" isBusy={isBusy}>
          Join
        </Button>
      </form>
    );
  return (
    <div className="grid gap-4">
      {hasAccount ? (
        <SignInForm title token={token} onDone={() => go('/')} />
      ) : (
        <SignUpForm isFirst={false} needsToken />
      )}
      <Button look="quiet" onClick={() => setAccount(!hasAccount)}>
        {hasAccount ? 'I have no account yet' : 'I have an account'}
      </Button>
    </div>
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
