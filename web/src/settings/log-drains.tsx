/** Where the output of services goes besides Berth. */
import type { ReactElement } from 'react';
import { Collection, type Row } from '../form/collection.tsx';
import { useAsk } from '../live/api.ts';
import { Ago } from '../parts/time.tsx';

const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of a drain that exists its kind is known, too. */
const isLoki = ({ type }: Row): boolean => type === 'loki';

export function LogDrains(): ReactElement {
  const { data: projects = [] } = useAsk('project.all', {});
  const names = new Map(projects.map(({ projectId, name }) => [projectId, name]));
  return (
    <Collection
      title="Log drains"
      noun="drain"
      about="What services write is sent to a syslog server or to Loki as well."
      id="logDrainId"
      list="logDrain.all"
      create="logDrain.create"
      update="logDrain.update"
      remove="logDrain.remove"
      test="logDrain.test"
      fixed={{ enabled: true }}
      testsNew
      show={['type', 'name', 'address', 'username', 'password', 'projectId', 'enabled']}
      change={{
        type: {
          label: 'Kind',
          isKind: true,
          start: () => 'syslogTcp',
          options: [
            { value: 'syslogTcp', label: 'syslog by TCP', about: 'Better Stack, Papertrail, rsyslog' },
            { value: 'syslogUdp', label: 'syslog by UDP', about: 'Lines may be lost on the way' },
            { value: 'loki', label: 'Loki', about: 'Grafana, also Grafana Cloud' },
          ],
        },
        name: { start: ({ type }) => (type === 'loki' ? 'Loki' : 'syslog') },
        address: {
          label: 'Address',
          helpOf: ({ type }) =>
            type === 'loki'
              ? 'Where it takes lines, such as https://loki.example.com/loki/api/v1/push'
              : 'Host and port, such as logs.example.com:6514',
        },
        username: { label: 'User name', help: 'Where Loki asks for one', when: isLoki },
        password: { label: 'Password or token', help: 'Never shown again', when: isLoki },
        enabled: { label: 'Enabled', when: ({ logDrainId }) => logDrainId !== undefined },
        projectId: {
          label: 'Services of',
          help: '',
          empty: 'The whole organization',
          options: projects.map(({ projectId, name }) => ({ value: projectId, label: name })),
        },
      }}
      name={({ name }) => text(name)}
      detail={(row) => detailOf(row, names)}
      removal="What waits for it is dropped. What was sent stays where it went."
    />
  );
}

function detailOf(row: Row, names: ReadonlyMap<string, string>): ReactElement {
  const { address, projectId, enabled, sent, dropped, lastSentAt, lastError } = row;
  return (
    <>
      {text(address)}
      {projectId === null ? '' : `, of ${names.get(text(projectId)) ?? 'one project'}`}
      {enabled === true ? '' : ', switched off'}
      {lastSentAt !== null && (
        <>
          ; {count(sent).toLocaleString('en')} lines, the last <Ago at={text(lastSentAt)} />
        </>
      )}
      {count(dropped) > 0 && (
        <span className="text-warn">; {count(dropped).toLocaleString('en')} dropped</span>
      )}
      {typeof lastError === 'string' && <span className="text-down">; {lastError}</span>}
    </>
  );
}
