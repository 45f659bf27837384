/** Who belongs to the organization, with which role and grants; invitations by a link. */
import { useAsked } from '../frame/asked.ts';
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Value } from '../parts/copy.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { Fault, Notice, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { Grants } from './grants.tsx';
import type { Member } from './member.ts';
import { texts } from './texts.ts';

export function Members(): ReactElement {
  const { data: members, error } = useAsk('organization.members', {});
  const { data: invitations = [] } = useAsk('organization.invitations', {}, { retry: false });
  const { data: user } = useAsk('user.get', {});
  const remove = useDo('organization.removeMember');
  const revoke = useDo('organization.revoke');
  const [over, setOver] = useState<
    { what: 'invite' } | { what: 'grants' | 'remove'; member: Member } | undefined
  >();
  const [asked, setAsked] = useAsked(['invite'] as const);
  const close = (): void => (setOver(undefined), setAsked(undefined));
  const open = invitations.filter(({ status }) => status === 'pending');
  return (
    <>
      <Panel
        title="Members"
        actions={
          <Button small icon="plus" onClick={() => setOver({ what: 'invite' })}>
            Invite
          </Button>
        }
      >
        <div className="p-3 empty:hidden">
          <Fault error={error} />
        </div>
        {!members && !error && <SkeletonRows rows={3} />}
        <ul className="rows text-13">
          {members?.map((member) => (
            <li key={member.userId} className="flex min-h-(--row) items-center gap-4 py-1 pr-2 pl-4">
              <span className="cut flex-1">
                <span className="font-medium">{member.name}</span>{' '}
                <span className="text-faint">{member.email}</span>
              </span>
              <span className="w-16 text-muted">{member.role}</span>
              <Menu
                label={`More for ${member.name}`}
                className="button quiet small icon"
                items={[
                  {
                    label: 'Role and grants',
                    icon: 'settings',
                    onPick: () => setOver({ what: 'grants', member }),
                  },
                  ...(member.userId === user?.id
                    ? []
                    : [
                        {
                          label: 'Remove',
                          icon: 'close' as const,
                          isDanger: true,
                          onPick: () => setOver({ what: 'remove', member }),
                        },
                      ]),
                ]}
              />
            </li>
          ))}
        </ul>
      </Panel>
      {open.length > 0 && (
        <Panel title="Invitations">
          <ul className="rows text-13">
            {open.map((invitation) => (
              <li key={invitation.invitationId} className="flex min-h-(--row) items-center gap-4 pr-2 pl-4">
                <span className="cut flex-1">{invitation.email}</span>
                <span className="text-faint">{invitation.role}</span>
                <span className="text-12 text-faint max-sm:hidden">
                  ends <Ago at={invitation.expiresAt} />
                </span>
                <Button small onClick={() => revoke.mutate({ invitationId: invitation.invitationId })}>
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {(over?.what === 'invite' || asked === 'invite') && <Invite onClose={close} />}
      {over?.what === 'grants' && <Grants member={over.member} onClose={close} />}
      {over?.what === 'remove' && (
        <Confirm
          title={`Remove ${over.member.name}?`}
          verb="Remove"
          onClose={close}
          onConfirm={() => remove.mutateAsync({ userId: over.member.userId })}
        >
          <p>{texts.remove}</p>
        </Confirm>
      )}
    </>
  );
}

function Invite({ onClose }: { onClose: () => void }): ReactElement {
  const [token, setToken] = useState<string | undefined>();
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      {token ? (
        <div className="grid gap-4">
          <Notice tone="busy">{texts.invited}</Notice>
          <Value what="link">{`${location.origin}/join#${encodeURIComponent(token)}`}</Value>
          <div className="flex justify-end">
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      ) : (
        <Form
          of="organization.invite"
          show={['email', 'role']}
          change={{ role: { help: 'Members see what is assigned to them.' } }}
          verb="Make the link"
          onDone={(answer) => setToken(answer.token)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}
