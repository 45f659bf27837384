/** One's own account: password, second factor, sessions, the theme, deletion. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { signOut } from '../live/account.ts';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { TwoFactor } from './two-factor.tsx';

export function Account(): ReactElement {
  const { data: user } = useAsk('user.get', {});
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Panel title="You" isPadded>
        <dl className="facts">
          <dt>Name</dt>
          <dd>{user?.name}</dd>
          <dt>Email</dt>
          <dd>{user?.email}</dd>
          <dt>Role here</dt>
          <dd>{user?.role}</dd>
        </dl>
      </Panel>
      <Panel title="Password" isPadded>
        <Form
          of="user.changePassword"
          change={{
            currentPassword: { label: 'Current password' },
            newPassword: { help: 'Every other session ends.' },
          }}
          verb="Change password"
        />
      </Panel>
      <TwoFactor />
      <Sessions />
      <Panel title="Delete your account" isPadded>
        <div className="flex flex-wrap items-center gap-4 text-13">
          <p className="flex-1 basis-60 text-muted">
            Your sessions, keys and memberships go. What you made stays.
          </p>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete account
          </Button>
        </div>
      </Panel>
      {isDeleting && (
        <Dialog title="Delete your account?" onClose={() => setDeleting(false)}>
          <Form
            of="user.delete"
            show={['password', 'code']}
            verb="Delete account"
            onCancel={() => setDeleting(false)}
            onDone={() => void signOut()}
          />
        </Dialog>
      )}
    </>
  );
}

function Sessions(): ReactElement {
  const { data, error } = useAsk('user.sessions', {});
  const end = useDo('user.endSession');
  return (
    <Panel title="Sessions">
      <div className="p-3 empty:hidden">
        <Fault error={error ?? end.error} />
      </div>
      {!data && !error && <SkeletonRows rows={2} />}
      {data?.length === 0 && <Empty icon="user" title="No session" />}
      <ul className="rows text-13">
        {data?.map((session) => (
          <li key={session.sessionId} className="flex min-h-(--row) items-center gap-4 py-1 pr-2 pl-4">
            <span className="cut flex-1" title={session.userAgent}>
              {programOf(session.userAgent)} <span className="text-faint">{session.ip}</span>
            </span>
            <span className="text-12 text-faint">
              <Ago at={session.createdAt} />
            </span>
            {session.current ? (
              <span className="w-16 text-center text-12 text-up">this one</span>
            ) : (
              <Button
                small
                isBusy={end.isPending}
                onClick={() => end.mutate({ sessionId: session.sessionId })}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** `Chrome on Linux`, as far as the program says so. */
function programOf(agent: string): string {
  const [, program] = /(Firefox|Edg|OPR|HeadlessChrome|Chrome|Safari|curl)/.exec(agent) ?? [];
  const [, system] = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(agent) ?? [];
  return program === undefined
    ? agent.slice(0, 60) || 'Unknown program'
    : `${program}${system ? ` on ${system}` : ''}`;
}
