/** "Set it for me": the plan of DNS records that Berth shows, and sets when it is confirmed. */
import { useState, type ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { texts } from './texts.ts';

/** A domain of a service, or a base domain with the server that it leads to. */
export type RecordsOf = { domainId: string } | { baseDomain: string; serverId: string | null };

export function SetRecords({ of, onSet }: { of: RecordsOf; onSet?: () => void }): ReactElement | null {
  // Members have none, and set the record by hand.
  const { data: providers } = useAsk('dnsProvider.all', {}, { retry: false });
  const [isOpen, setOpen] = useState(false);
  if (!providers) return null;
  if (providers.length === 0) return <Go to="/settings/dns-providers">{texts.records.addProvider}</Go>;
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {texts.records.set}
      </Button>
      {isOpen && <Plan of={of} onSet={onSet} onClose={() => setOpen(false)} />}
    </>
  );
}

function Plan({
  of,
  onSet,
  onClose,
}: {
  of: RecordsOf;
  onSet: (() => void) | undefined;
  onClose: () => void;
}): ReactElement {
  const { data: plan, error } = useAsk('domain.planRecords', of, { retry: false });
  const apply = useDo('domain.applyRecords');
  if (plan && plan.foreign.length === 0 && plan.changes.length > 0)
    return (
      <Confirm
        title={texts.records.title(plan.name)}
        verb={texts.records.verb}
        isDanger={false}
        onConfirm={() => apply.mutateAsync({ ...of, digest: plan.digest }).then(() => onSet?.())}
        onClose={onClose}
      >
        <PlanOf plan={plan} />
      </Confirm>
    );
  return (
    <Dialog title={texts.records.title(plan?.name)} onClose={onClose}>
      <div className="grid gap-4">
        {!plan && !error && <SkeletonRows rows={2} />}
        <Fault error={error} />
        {plan && <PlanOf plan={plan} />}
        <div className="flex justify-end">
          <Button autoFocus onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function PlanOf({ plan }: { plan: Answer<'domain.planRecords'> }): ReactElement {
  const { zone, dnsProvider, changes, right, foreign, unfinished } = plan;
  return (
    <div className="grid gap-3 text-13" data-plan-of-records>
      <p className="text-muted">{texts.records.where(zone, dnsProvider)}</p>
      <Records title="Added" records={changes.filter(({ action }) => action === 'create')} />
      <Records title="Removed" records={changes.filter(({ action }) => action === 'remove')} />
      <Records title="Right already" records={right} />
      <Records title="Not made by Berth" records={foreign} />
      {changes.length + right.length + foreign.length === 0 && <p>{texts.records.nothing}</p>}
      {unfinished && <p className="text-muted">{texts.records.unfinished(unfinished)}</p>}
      {changes.length > 0 && <p className="text-12 text-muted">{texts.records.marks}</p>}
    </div>
  );
}

function Records({
  title,
  records,
}: {
  title: string;
  records: readonly { name: string; type: string; value: string; hint?: string }[];
}): ReactElement | null {
  if (records.length === 0) return null;
  return (
    <section className="grid gap-1">
      <h3 className="text-12 text-muted">{title}</h3>
      <ul className="grid gap-1">
        {records.map(({ name, type, value, hint }) => (
          <li key={`${name} ${type} ${value}`} className="[overflow-wrap:anywhere]">
            <code className="text-12">
              {name} {type} {type === 'TXT' ? `"${value}"` : value}
            </code>
            {hint && <p className="text-12 text-muted">{hint}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
