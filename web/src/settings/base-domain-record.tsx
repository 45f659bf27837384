/** The DNS record that a base domain needs, and whether it is there; looked up again until it is. */
import { useEffect, useState, type ReactElement } from 'react';
import { recordOf } from '../domain/dns-record.ts';
import { SetRecords } from '../domain/set-records.tsx';
import { useAsk, type Answer } from '../live/api.ts';
import { Verdict } from '../domain/verdict.tsx';
import { Value } from '../parts/copy.tsx';
import { Fault } from '../parts/notices.tsx';

/** Nobody announces a new record. */
const everyMs = 10_000;
/** While somebody types, each text would be another name. */
const typingMs = 600;

const severalMachines =
  'Services may stand on several machines, and the record can lead to one of them: hosts of the others ' +
  'need records of their own.';

/** What has the base domain; `serverIp`: Berth's own machine, by the address that the form has. */
type Holder = { projectId: string } | { serverId: string } | { serverIp: string };

export function BaseDomainRecord({ base, of }: { base: string; of: Holder }): ReactElement | null {
  const name = useSettled(base.trim().replace(/^\*\./, ''));
  const [isThere, setThere] = useState(false);
  const isUnknown = 'serverIp' in of && of.serverIp === '';
  const isAsked = name.includes('.') && !isUnknown && !/(^|\.)localhost$/i.test(name);
  const { data, error } = useAsk(
    'domain.validateDomain',
    { domain: `*.${name}`, ...of },
    { enabled: isAsked, every: !isThere && everyMs, retry: false },
  );
  useEffect(() => setThere(data?.isValid === true), [data]);
  if (!name.includes('.')) return null;
  if (isUnknown)
    return <p className="text-12 text-muted">Set the address of this machine to see the record to add.</p>;
  if (!isAsked) return null;
  const machines = data?.machines ?? [];
  return (
    <div className="grid gap-1 text-12" data-record={data?.isValid === true ? 'there' : 'missing'}>
      {machines.length > 1 && <p className="text-muted">{severalMachines}</p>}
      {machines.map((machine) => (
        <MachineRecord
          key={machine.serverId}
          name={name}
          machine={machine}
          isValid={data?.isValid === true}
        />
      ))}
      <Fault error={error} />
      {data && <Verdict of={data} miss="pending" />}
    </div>
  );
}

function MachineRecord({
  name,
  machine: { serverId, address },
  isValid,
}: {
  name: string;
  machine: Answer<'domain.validateDomain'>['machines'][number];
  isValid: boolean;
}): ReactElement | null {
  if (address === null) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span className="text-muted">Record at your DNS provider:</span>
      <Value what="DNS record">{recordOf(`*.${name}`, address)}</Value>
      {!isValid && <SetRecords of={{ baseDomain: name, serverId }} />}
    </span>
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
