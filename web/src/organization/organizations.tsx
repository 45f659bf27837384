/** Every organization of the installation, for those who own it: trust and quotas. */
import { useState, type ReactElement } from 'react';
import { useAsk, useDo } from '../live/api.ts';
import { Fault } from '../parts/notices.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/page.tsx';
import { Quota } from './quota.tsx';
import { texts } from './texts.ts';

export function Organizations(): ReactElement | null {
  const { data } = useAsk('organization.installation', {}, { retry: false });
  const setTrusted = useDo('organization.setTrusted');
  const [quotaOf, setQuotaOf] = useState<{ organizationId: string; name: string } | undefined>();
  const [trusting, setTrusting] = useState<{ organizationId: string; name: string } | undefined>();
  if (!data) return null;
  const rows = data as readonly { organizationId: string; name: string; trusted: boolean }[];
  return (
    <Panel title="Organizations of this installation">
      <Fault error={setTrusted.error} />
      <ul className="rows text-13">
        {rows.map(({ organizationId, name, trusted }) => (
          <li key={organizationId} className="flex min-h-(--row) items-center gap-4 pr-2 pl-4">
            <span className="cut flex-1">{name}</span>
            <label
              className="flex items-center gap-2 text-muted"
              title="Its Owners and Admins may reach the machine itself"
            >
              <input
                type="checkbox"
                className="switch"
                checked={trusted}
                onChange={() =>
                  trusted
                    ? setTrusted.mutate({ organizationId, trusted: false })
                    : setTrusting({ organizationId, name })
                }
              />
              Trusted
            </label>
            <Button small onClick={() => setQuotaOf({ organizationId, name })}>
              Quota
            </Button>
          </li>
        ))}
      </ul>
      {trusting && (
        <Confirm
          title={texts.trustTitle(trusting.name)}
          verb="Trust"
          typed={trusting.name}
          onClose={() => setTrusting(undefined)}
          onConfirm={() => setTrusted.mutateAsync({ organizationId: trusting.organizationId, trusted: true })}
        >
          <p>{texts.trust}</p>
          <p>{texts.trustEnds}</p>
        </Confirm>
      )}
      {quotaOf && <Quota {...quotaOf} onClose={() => setQuotaOf(undefined)} />}
    </Panel>
  );
}
