/** Where the output of services goes besides Berth: syslog servers and Loki, tried by a line of its own. */
import type { ReactElement } from 'react';
import { Collection, type Row } from '../form/collection.tsx';
import type { FieldChange } from '../form/form.tsx';
import { useAsk } from '../live/api.ts';
import { Ago } from '../parts/time.tsx';

const kinds: Record<string, string> = {
  syslogTcp: 'syslog by TCP',
  syslogUdp: 'syslog by UDP',
  loki: 'Loki',
};

const ofLoki: FieldChange = { when: ({ type }) => type === 'loki' };

const change: Readonly<Record<string, FieldChange>> = {
  type: {
    label: 'Kind',
    options: Object.entries(kinds).map(([value, label]) => ({ value, label })),
  },
  address: { placeholder: 'logs.example.com:601' },
  enabled: { when: ({ logDrainId }) => logDrainId !== undefined },
  username: ofLoki,
  password: ofLoki,
};

export function LogDrains(): ReactElement {
  const { data: projects = [] } = useAsk('project.all', {});
  const options = projects.map(({ projectId, name }) => ({ value: projectId, label: name }));
  return (
    <Collection
      title="Log drains"
      noun="log drain"
      about="Where the output of services goes besides Berth: a syslog server, or Loki."
      id="logDrainId"
      list="logDrain.all"
      create="logDrain.create"
      update="logDrain.update"
      remove="logDrain.remove"
      test="logDrain.test"
      command="berth api logDrain.create"
      change={{ ...change, projectId: { label: 'Project', options } }}
      name={({ name }) => String(name)}
      detail={(row) => <Detail row={row} />}
      removal="No more lines are sent there; those that wait to be sent are dropped."
    />
  );
}

function Detail({ row }: { row: Row }): ReactElement {
  const { type, address, enabled, dropped, lastError, lastSentAt } = row;
  if (typeof lastError === 'string')
    return (
      <span className="text-down" title={lastError}>
        {lastError}
      </span>
    );
  return (
    <>
      {kinds[String(type)]}, {String(address)}
      {enabled === false && ', switched off'}
      {typeof dropped === 'number' && dropped > 0 && `, ${dropped} lines dropped`}
      {typeof lastSentAt === 'string' && (
        <>
          , sent <Ago at={lastSentAt} />
        </>
      )}
    </>
  );
}
