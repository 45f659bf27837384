/** How the command line is installed on another machine: the installation serves it. */
import type { ReactElement } from 'react';
import { Value } from '../parts/copy.tsx';
import { Panel } from '../parts/page.tsx';

const isSafe = (): boolean =>
  location.protocol === 'https:' || /^(localhost|127\.|\[::1\])/.test(location.host);

export function CommandLine(): ReactElement {
  return (
    <Panel title="Command line" isPadded>
      <div className="grid gap-2 text-13">
        <p className="text-muted">
          {isSafe()
            ? 'Installs the command line of this Berth for your user. It needs Node.js 20 or newer.'
            : 'This address is plain http, so compare the program with the SHA-256 that ./bin/up printed ' +
              'before you run it.'}
        </p>
        {isSafe() ? (
          <Value what="command">{`curl -fsSL ${location.origin}/cli/install.sh | sh`}</Value>
        ) : (
          <Value what="command">
            {`curl -fsS ${location.origin}/cli/berth.mjs -o berth.mjs && sha256sum berth.mjs`}
          </Value>
        )}
        <Value what="command">{`berth login --url ${location.origin}`}</Value>
      </div>
    </Panel>
  );
}
