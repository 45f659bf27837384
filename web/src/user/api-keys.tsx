/** Keys for programs: made once, shown once. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useSession } from '../live/account.ts';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Value } from '../parts/copy.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Empty, Notice, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { useRights } from '../live/viewer.ts';
import { Ago } from '../parts/time.tsx';
import { CommandLine } from './command-line.tsx';
import { KeyScopeChoice } from './key-scope-choice.tsx';
import type { Permissions } from './key-scopes.ts';
import { MetricsKey } from './metrics-key.tsx';

export function ApiKeys(): ReactElement {
  return (
    <>
      <Keys />
      <CommandLine />
    </>
  );
}

function Keys(): ReactElement {
  const { data: user } = useAsk('user.get', {});
  const { leads } = useRights();
  const remove = useDo('user.deleteApiKey');
  const [isMaking, setMaking] = useState(false);
  const [removing, setRemoving] = useState<string | undefined>();
  const keys = user?.apiKeys;
  const add = (
    <Button small icon="plus" onClick={() => setMaking(true)}>
      New key
    </Button>
  );
  return (
    <Panel
      title="API keys"
      actions={
        <>
          {leads && <MetricsKey />}
          {keys?.length ? add : undefined}
        </>
      }
    >
      {!keys && <SkeletonRows rows={2} />}
      {keys?.length === 0 && (
        <Empty icon="key" title="No key yet" action={add} command={`berth login --url ${location.origin}`}>
          A program sends it in x-api-key and may what you may, in this organization.
        </Empty>
      )}
      <ul className="rows text-13">
        {keys?.map((key) => (
          <li key={key.id} className="flex min-h-(--row) items-center gap-4 pr-2 pl-4">
            <span className="cut flex-1 font-medium">{key.name}</span>
            <code className="text-12 text-faint">{key.start}…</code>
            <span className="text-12 text-faint max-sm:hidden">
              {key.lastRequestAt ? (
                <>
                  used <Ago at={key.lastRequestAt} />
                </>
              ) : (
                'never used'
              )}
            </span>
            <Button
              small
              look="quiet"
              icon="close"
              aria-label={`Delete ${key.name}`}
              onClick={() => setRemoving(key.id)}
            />
          </li>
        ))}
      </ul>
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
      {removing && (
        <Confirm
          title="Delete this key?"
          verb="Delete"
          onClose={() => setRemoving(undefined)}
          onConfirm={() => remove.mutateAsync({ apiKeyId: removing })}
        >
          <p>Programs that use it are refused at once.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function NewKey({ onClose }: { onClose: () => void }): ReactElement {
  const { data: session } = useSession();
  const [key, setKey] = useState<string | undefined>();
  const [permissions, setPermissions] = useState<Permissions | undefined>();
  return (
    <Dialog title="New API key" onClose={onClose}>
      {key ? (
        <div className="grid gap-4">
          <Notice>Copy it now: it is never shown again.</Notice>
          <Value what="key">{key}</Value>
          <div className="flex justify-end">
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      ) : (
        <div className="grid gap-4">
          <KeyScopeChoice onChange={setPermissions} />
          <Form
            of="user.createApiKey"
            show={['name', 'expiresIn', 'prefix', 'remaining']}
            change={{
              name: { example: 'deploys of the shop', help: 'What uses it' },
              prefix: { label: 'Prefix', help: 'The key begins with it', isFolded: true },
              expiresIn: {
                label: 'Expires after',
                help: '',
                empty: 'Never',
                options: [
                  ['1 day', 1],
                  ['30 days', 30],
                  ['90 days', 90],
                  ['1 year', 365],
                ].map(([label, days]) => ({
                  label: String(label),
                  value: String(Number(days) * 86_400_000),
                })),
              },
              remaining: {
                label: 'Limit of requests',
                unit: 'requests',
                help: 'Empty: no limit',
                isFolded: true,
              },
            }}
            fixed={{
              metadata: { organizationId: session?.session.activeOrganizationId ?? '' },
              ...(permissions && { permissions }),
            }}
            verb="Make key"
            onDone={(answer) => setKey(answer.key)}
            onCancel={onClose}
          />
        </div>
      )}
    </Dialog>
  );
}
