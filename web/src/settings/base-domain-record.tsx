/** The DNS record that a base domain needs, and whether it is there; looked up again until it is. */
import { useEffect, useState, type ReactElement } from 'react';
import { recordOf } from '../domain/dns-record.ts';
import { SetRecords } from '../domain/set-records.tsx';
import { useAsk } from '../live/api.ts';
import { Value } from '../parts/copy.tsx';
import { Mark } from '../parts/mark.tsx';
import { Fault } from '../parts/notices.tsx';

/** Nobody announces a new record. */
const everyMs = 10_000;
/** While somebody types, each text would be another name. */
const typingMs = 600;

export function BaseDomainRecord({
  base,
  serverIp,
  serverId = null,
}: {
  base: string;
  /** The server that it is to lead to; null: Berth's own machine. */
  serverId?: string | null | undefined;
  /** Where it is to lead; absent: to Berth's own machine, by the address that the settings have. */
  serverIp?: string | undefined;
}): ReactElement | null {
  const name = useSettled(base.trim().replace(/^\*\./, ''));
  const [isThere, setThere] = useState(false);
  const wildcard = `*.${name}`;
  const isByName = serverIp !== undefined && !/^[0-9.]+$|:/.test(serverIp);
  const isAsked = name.includes('.') && serverIp !== '' && !/(^|\.)localhost$/i.test(name);
  const machine = useAsk(
    'domain.validateDomain',
    { domain: serverIp ?? '', serverIp: '0.0.0.0' },
    { enabled: isAsked && isByName, retry: false },
  );
  const address = isByName ? machine.data?.resolvedIps[0] : serverIp;
  const { data, error } = useAsk(
    'domain.validateDomain',
    { domain: wildcard, ...(address === undefined ? {} : { serverIp: address }) },
    { enabled: isAsked && !(isByName && address === undefined), every: !isThere && everyMs, retry: false },
  );
  useEffect(() => setThere(data?.isValid === true), [data]);
  if (!name.includes('.')) return null;
  if (serverIp === '')
    return <p className="text-12 text-muted">Set the address of this machine to see the record to add.</p>;
  if (!isAsked) return null;
  const to = address ?? data?.expectedIp;
  return (
    <div className="grid gap-1 text-12" data-record={data?.isValid === true ? 'there' : 'missing'}>
      {to !== undefined && (
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="text-muted">Record at your DNS provider:</span>
          <Value what="DNS record">{recordOf(wildcard, to)}</Value>
          {data?.isValid === false && <SetRecords of={{ baseDomain: name, serverId }} />}
        </span>
      )}
      <Fault error={error ?? machine.error} />
      {data && (
        <Mark
          of={data.isValid ? 'done' : 'pending'}
          word={
            data.isValid
              ? `Leads here (${data.resolvedIps.join(', ')})`
              : (data.error ?? 'Does not lead here')
          }
        />
      )}
    </div>
  );
}

/** The text once nobody has changed it for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
