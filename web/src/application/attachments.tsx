/** Ports, redirects and sign-in at the proxy. */
import type { ReactElement } from 'react';
import { Collection } from '../form/collection.tsx';
import type { FieldChange } from '../form/form-field.tsx';
import type { Application } from '../service/service.ts';

const portWords: Readonly<Record<string, FieldChange>> = {
  targetPort: {
    label: 'Port of the program',
    example: '5432',
    help: 'Where it listens in its container',
  },
  publishedPort: {
    label: 'Port of the server',
    help: 'Where others connect to; a firewall in front has to let it through',
    start: ({ targetPort }) =>
      typeof targetPort === 'string' && Number(targetPort) >= 1024 ? targetPort : '',
  },
  protocol: {
    label: 'Protocol',
    options: [
      { value: 'tcp', label: 'TCP' },
      { value: 'udp', label: 'UDP' },
    ],
  },
  publishMode: {
    label: 'Published',
    help:
      'Where the service runs, a new version stops the former one first, and the program sees the real ' +
      'addresses of clients.',
    options: [
      { value: 'ingress', label: 'on every server of a cluster' },
      { value: 'host', label: 'where the service runs' },
    ],
    isFolded: true,
  },
};

const redirectWords: Readonly<Record<string, FieldChange>> = {
  regex: {
    label: 'From',
    example: '^/old/(.*)$',
    help:
      'A regular expression (RE2): on path and query where it begins with ^/, otherwise on the whole ' +
      'address',
  },
  replacement: {
    label: 'To',
    example: '/new/$1',
    help: '$1 is what the first brackets of the expression matched.',
  },
  permanent: {
    label: 'For good',
    help: 'Browsers remember it (308). Otherwise they ask each time (307).',
  },
};

export function Attachments({ application: { applicationId } }: { application: Application }): ReactElement {
  const fixed = { applicationId };
  return (
    <>
      <Collection
        title="Published ports"
        noun="port"
        about="A port of the server that leads to the service, for what is not http."
        id="portId"
        list="port.byApplicationId"
        input={fixed}
        create="port.create"
        update="port.update"
        remove="port.delete"
        fixed={fixed}
        show={['targetPort', 'publishedPort', 'protocol', 'publishMode']}
        change={portWords}
        name={({ publishedPort, targetPort }) => `${String(publishedPort)} → ${String(targetPort)}`}
        detail={({ protocol, publishMode }) =>
          [
            String(protocol).toUpperCase(),
            publishMode === 'host' ? 'where the service runs' : 'on every server',
          ].join(', ')
        }
        removal="After the next deployment nobody reaches the service through it."
      />
      <Collection
        title="Redirects"
        noun="redirect"
        about="Requests whose address matches an expression are sent elsewhere."
        id="redirectId"
        list="redirect.byApplicationId"
        input={fixed}
        create="redirect.create"
        update="redirect.update"
        remove="redirect.delete"
        fixed={fixed}
        show={['regex', 'replacement', 'permanent']}
        change={redirectWords}
        name={({ regex }) => String(regex)}
        detail={({ replacement }) => `→ ${String(replacement)}`}
        removal="Requests that matched it reach the service."
      />
      <Collection
        title="Sign-in at the proxy"
        noun="user"
        about="Visitors give a name and a password before they reach the service."
        id="basicAuthId"
        list="basicAuth.byApplicationId"
        input={fixed}
        create="basicAuth.create"
        update="basicAuth.update"
        remove="basicAuth.delete"
        fixed={fixed}
        show={['username', 'password']}
        change={{
          username: { label: 'User name' },
          password: { help: 'At most 72 bytes; only a hash of it is kept.' },
        }}
        name={({ username }) => String(username)}
        removal="This name and password stop working. Without any, the service is open to everybody."
      />
    </>
  );
}
