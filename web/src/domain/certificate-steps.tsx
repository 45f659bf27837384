/** Resolves → leads here → authority asked → issued: where it stands, in a sentence, and "Check again". */
import type { ReactElement } from 'react';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Fault } from '../parts/notices.tsx';
import { Ago } from '../parts/time.tsx';
import type { Domain } from './domain.ts';
import { texts } from './texts.ts';

export function CertificateSteps({ domain }: { domain: Domain }): ReactElement {
  const { domainId, host } = domain;
  const { data: whole, error } = useAsk('domain.one', { domainId });
  const check = useDo('domain.validateDomain');
  const again = useDo('domain.update');
  const certificate = whole?.certificate;
  const status = certificate?.status;
  const isIssued = status === 'issued';
  const dns = check.data;
  const resolves: MarkName =
    isIssued || (dns && dns.resolvedIps.length > 0) ? 'done' : dns ? 'failed' : 'none';
  const reaches: MarkName = isIssued || dns?.isValid ? 'done' : dns ? 'failed' : 'none';
  const asked: MarkName =
    isIssued || status === 'failed' ? 'done' : status === 'pending' ? 'pending' : 'none';
  const issued: MarkName = isIssued ? 'issued' : status === 'failed' ? 'failed' : 'none';
  return (
    <div className="grid gap-2 px-4 py-3">
      <ol className="flex flex-wrap gap-x-6 gap-y-1" aria-label={`Certificate of ${host}`}>
        <li>
          <Mark of={resolves} word={texts.steps.resolves} />
        </li>
        <li>
          <Mark of={reaches} word={texts.steps.reaches} />
        </li>
        <li>
          <Mark of={asked} word={texts.steps.asked} />
        </li>
        <li>
          <Mark of={issued} word={texts.steps.issued} />
        </li>
      </ol>
      <Fault error={error ?? check.error ?? again.error} />
      <div className="flex flex-wrap items-center gap-3 text-13 text-muted">
        <span className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
          {isIssued && (
            <>
              Issued by {certificate?.issuer ?? 'the authority'}, ends <Ago at={certificate?.expiresAt} />.{' '}
            </>
          )}
          {certificate?.error}
          {!isIssued &&
            dns &&
            !dns.isValid &&
            (dns.error ??
              `${host} leads to ${dns.resolvedIps.join(', ') || 'nothing'}, and not to ${dns.expectedIp}.`)}
          {!isIssued &&
            dns?.isValid &&
            !certificate?.error &&
            `${host} leads to ${dns.resolvedIps.join(', ')}.`}
        </span>
        {!isIssued && (
          <Button
            small
            icon="refresh"
            isBusy={check.isPending || again.isPending}
            onClick={() =>
              check.mutate(
                { domain: host },
                { onSuccess: ({ isValid }) => isValid && again.mutate({ domainId, https: true }) },
              )
            }
          >
            Check again
          </Button>
        )}
      </div>
    </div>
  );
}
