/** Host names of customers that the service has allowed, below the domain that they follow. */
import { useState, type ReactElement } from 'react';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Ago } from '../parts/time.tsx';
import { urlOf, type Domain } from './domain.ts';
import { texts } from './texts.ts';

/** As many as are looked at with one glance; the state of each is a question. */
const pageSize = 20;

export function CustomerNames({
  domain,
  names,
}: {
  domain: Domain;
  names: readonly Domain[];
}): ReactElement | null {
  const [shown, setShown] = useState(pageSize);
  const [removed, setRemoved] = useState<Domain | undefined>();
  if (!domain.allowOnDemand && names.length === 0) return null;
  return (
    <section aria-label={texts.customers.title} className="border-t border-line">
      <h3 className="px-4 pt-3 text-13 font-medium">
        {texts.customers.title} <span className="text-faint">{names.length}</span>
      </h3>
      <p className="px-4 pb-2 text-12 text-faint">
        {domain.allowOnDemand
          ? texts.customers.asked(domain.host, domain.allowOnDemand)
          : texts.customers.closed}
      </p>
      {names.length > 0 && (
        <ul className="rows text-13">
          {names.slice(0, shown).map((name) => (
            <CustomerName key={name.domainId} name={name} onRemove={() => setRemoved(name)} />
          ))}
        </ul>
      )}
      {names.length > shown && (
        <p className="px-4 py-2">
          <Button small look="quiet" onClick={() => setShown(shown + pageSize)}>
            Show more
          </Button>
        </p>
      )}
      {domain.allowOnDemand && <RefusedNames domainId={domain.domainId} />}
      {removed && <RemoveName name={removed} onClose={() => setRemoved(undefined)} />}
    </section>
  );
}

/** Names that the service was asked about lately, or that lead elsewhere as well, and were not allowed. */
function RefusedNames({ domainId }: { domainId: string }): ReactElement | null {
  const { data } = useAsk('domain.one', { domainId });
  if (!data || data.refusedNames.length === 0) return null;
  return (
    <ul className="grid gap-1 px-4 py-2 text-12" aria-label={texts.customers.refused}>
      {data.refusedNames.map(({ host, reason, at }) => (
        <li key={host} className="[overflow-wrap:anywhere]">
          <span className="font-medium">{host}</span> was not allowed: {reason}, <Ago at={at} />.
        </li>
      ))}
    </ul>
  );
}

const marks: Readonly<Record<string, readonly [MarkName, string]>> = {
  issued: ['issued', 'Certificate issued'],
  failed: ['failed', 'Certificate refused'],
  pending: ['pending', 'Certificate asked for'],
};

function CustomerName({ name, onRemove }: { name: Domain; onRemove: () => void }): ReactElement {
  const { data } = useAsk('domain.one', { domainId: name.domainId });
  const [mark, word] = marks[data?.certificate.status ?? ''] ?? ['none', 'No certificate'];
  return (
    <li className="flex min-h-(--row) flex-wrap items-center gap-x-3 pr-2 pl-4">
      <a href={urlOf(name)} target="_blank" rel="noreferrer" className="cut min-w-0 flex-1">
        {name.host}
      </a>
      {data && (
        <span title={data.certificate.error ?? undefined}>
          <Mark of={mark} word={word} />
        </span>
      )}
      <span className="text-12 text-faint">
        <Ago at={name.createdAt} />
      </span>
      <Button small look="quiet" onClick={onRemove}>
        Remove
      </Button>
    </li>
  );
}

function RemoveName({ name, onClose }: { name: Domain; onClose: () => void }): ReactElement {
  const remove = useDo('domain.delete');
  return (
    <Confirm
      title={texts.removeTitle(name.host)}
      verb="Remove"
      onClose={onClose}
      onConfirm={() => remove.mutateAsync({ domainId: name.domainId })}
    >
      <p>{texts.customers.remove}</p>
    </Confirm>
  );
}
