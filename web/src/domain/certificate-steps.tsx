/** The four steps to a certificate, from the host that resolves to the one issued, and "Check again". */
import { useEffect, useState, type ReactElement } from 'react';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Value } from '../parts/copy.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Fault } from '../parts/notices.tsx';
import { Ago } from '../parts/time.tsx';
import { recordOf } from './dns-record.ts';
import type { Domain } from './domain.ts';
import { SetRecords } from './set-records.tsx';
import { texts } from './texts.ts';

type Steps = readonly [resolves: MarkName, reaches: MarkName, asked: MarkName, issued: MarkName];

/** How far a certificate is, by the server's word and by the last check of the DNS from here. */
function stepsOf(
  { status, step }: { status?: string | undefined; step?: string | null | undefined },
  dns: { resolvedIps: readonly string[]; isValid: boolean } | undefined,
): Steps {
  if (status === 'issued') return ['done', 'done', 'done', 'issued'];
  const resolves = dns ? (dns.resolvedIps.length > 0 ? 'done' : 'failed') : 'none';
  const reaches = dns ? (dns.isValid ? 'done' : 'failed') : 'none';
  // Of a host that leads elsewhere no authority is asked.
  if (step === 'find') return [resolves, dns?.isValid ? 'done' : 'failed', 'none', 'none'];
  if (status === 'failed') return ['done', reaches, 'done', 'failed'];
  return [resolves, reaches, status === 'pending' ? 'pending' : 'none', 'none'];
}

/** Whoever has just mended a name watches it: the server tells nobody when an authority answers. */
const everyMs = 2_000;
const recordEveryMs = 5_000;

export function CertificateSteps({ domain }: { domain: Domain }): ReactElement {
  const { domainId, host } = domain;
  const [isWatched, setWatched] = useState(false);
  const { data: whole, error } = useAsk('domain.one', { domainId }, { every: isWatched && everyMs });
  const check = useDo('domain.validateDomain');
  const again = useDo('domain.update');
  const certificate = whole?.certificate;
  const { status, issuer, expiresAt } = certificate ?? {};
  const isIssued = status === 'issued';
  const dns = check.data;
  useEffect(() => setWatched(status === 'pending'), [status]);
  const { mutate: look, isIdle } = check;
  const awaitsName = certificate?.step === 'find';
  useEffect(() => {
    if (awaitsName && isIdle) look({ domain: host });
  }, [awaitsName, isIdle, look, host]);
  const [isSet, setSet] = useState(false);
  const { mutate: askAgain } = again;
  const leadsHere = dns?.isValid === true;
  // A record that was set is seen when resolvers have forgotten the former one.
  useEffect(() => {
    if (!isSet) return;
    if (leadsHere) {
      setSet(false);
      return askAgain({ domainId, host });
    }
    const timer = setInterval(() => look({ domain: host }), recordEveryMs);
    return () => clearInterval(timer);
  }, [isSet, leadsHere, look, askAgain, domainId, host]);
  const [resolves, reaches, asked, issued] = stepsOf(certificate ?? {}, dns);
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
      {!isIssued && dns && !dns.isValid && dns.expectedIp && (
        <p className="flex flex-wrap items-center gap-x-3 text-13">
          <span className="text-muted">Record to add at your DNS provider:</span>
          <Value what="DNS record">{recordOf(host, dns.expectedIp)}</Value>
          <SetRecords of={{ domainId }} onSet={() => (look({ domain: host }), setSet(true))} />
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3 text-13 text-muted">
        <span className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
          {isIssued && (
            <>
              Issued by {issuer ?? 'the authority'}, ends <Ago at={expiresAt} />.{' '}
            </>
          )}
          {certificate?.error}
          {certificate?.nextTryAt && (
            <>
              {' '}
              Next try: <Ago at={certificate.nextTryAt} />.
            </>
          )}
          {!isIssued &&
            !certificate?.error &&
            dns &&
            !dns.isValid &&
            (dns.error ??
              `${host} leads to ${dns.resolvedIps.join(', ') || 'nothing'}, and not to ${dns.expectedIp}.`)}
          {!isIssued &&
            dns?.isValid &&
            !certificate?.error &&
            (dns.hint ?? `${host} leads to ${dns.resolvedIps.join(', ')}.`)}
        </span>
        {!isIssued && (
          <Button
            small
            icon="refresh"
            isBusy={check.isPending || again.isPending}
            onClick={() =>
              check.mutate(
                { domain: host },
                { onSuccess: ({ isValid }) => isValid && again.mutate({ domainId, host }) },
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
