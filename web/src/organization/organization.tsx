/** The organization: its name, its rule on second factors, what it uses, its end. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useSession } from '../live/account.ts';
import { queries, useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { bytes } from '../parts/units.ts';
import { Panel } from '../parts/page.tsx';

export function OrganizationSettings(): ReactElement {
  const { data: session } = useSession();
  const organizationId = session?.session.activeOrganizationId ?? '';
  const { data: own, error } = useAsk(
    'organization.one',
    { organizationId },
    { enabled: organizationId !== '' },
  );
  const usage = useAsk(
    'organization.usage',
    { organizationId },
    { retry: false, enabled: organizationId !== '' },
  );
  const remove = useDo('organization.delete');
  const [over, setOver] = useState<'new' | 'delete' | undefined>();
  if (!own) return <Panel>{error ? <Fault error={error} /> : <SkeletonRows rows={3} />}</Panel>;
  return (
    <>
      <Panel
        title="Organization"
        isPadded
        actions={
          <Button small icon="plus" onClick={() => setOver('new')}>
            New organization
          </Button>
        }
      >
        <Form
          of="organization.update"
          show={['name', 'requireTwoFactor']}
          change={{ requireTwoFactor: { label: 'Require a second factor' } }}
          fixed={{ organizationId }}
          stored={{ ...own }}
          verb="Save"
        />
      </Panel>
      {usage.data && <Usage usage={usage.data} />}
      <Panel title="Delete" isPadded>
        <div className="flex flex-wrap items-center gap-4 text-13">
          <p className="flex-1 basis-60 text-muted">Only an organization without projects can be deleted.</p>
          <Button look="danger" onClick={() => setOver('delete')}>
            Delete organization
          </Button>
        </div>
      </Panel>
      {over === 'new' && (
        <Dialog title="New organization" onClose={() => setOver(undefined)}>
          <Form
            of="organization.create"
            verb="Create"
            onDone={() => setOver(undefined)}
            onCancel={() => setOver(undefined)}
          />
        </Dialog>
      )}
      {over === 'delete' && (
        <Confirm
          title={`Delete ${own.name}?`}
          verb="Delete"
          typed={own.name}
          onClose={() => setOver(undefined)}
          onConfirm={() =>
            remove.mutateAsync({ organizationId }).then(() => (queries.clear(), location.assign('/')))
          }
        >
          <p>
            Its members lose access; their accounts stay. Its keys, registries and destinations are removed.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface UsageFacts {
  sharedBy: number;
  quota: Readonly<Record<string, number | null>>;
  used: Readonly<Record<string, number>>;
}

const words: Record<string, [string, (value: number) => string]> = {
  services: ['Services', String],
  nanoCpus: ['Processors', (value) => `${value / 1e9}`],
  memoryBytes: ['Memory', bytes],
  builds: ['Builds at once', String],
  backupBytes: ['Backups', bytes],
  records: ['Records of the largest kind', String],
};

function Usage({ usage }: { usage: UsageFacts }): ReactElement {
  return (
    <Panel title="What it uses" isPadded>
      {usage.sharedBy > 1 && (
        <p className="mb-3 text-13 text-muted">
          {usage.sharedBy} organizations share this quota and are counted together.
        </p>
      )}
      <dl className="facts">
        {Object.entries(words).map(([name, [label, word]]) => {
          const limit = usage.quota[name];
          return (
            <div key={name} className="contents">
              <dt>{label}</dt>
              <dd>
                {word(usage.used[name] ?? 0)}
                {limit == null ? '' : ` of ${word(limit)}`}
              </dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}
