/** Ports, redirects and sign-in at the proxy. */
import type { ReactElement } from 'react';
import { Collection } from '../form/collection.tsx';
import type { Application } from '../service/service.ts';

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
        show={['publishedPort', 'targetPort', 'protocol', 'publishMode']}
        name={({ publishedPort, targetPort }) => `${String(publishedPort)} → ${String(targetPort)}`}
        detail={({ protocol }) => String(protocol)}
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
        name={({ username }) => String(username)}
        removal="This name and password stop working. Without any, the service is open to everybody."
      />
    </>
  );
}
