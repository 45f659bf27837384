/** A file with which the runners of a git host deploy the service. */
import { useState, type ReactElement } from 'react';
import { serviceOnCommandLine } from '../frame/actions.ts';
import { Value } from '../parts/copy.tsx';
import { Panel } from '../parts/page.tsx';
import type { Service } from './service.ts';

const files = {
  github: '.github/workflows/deploy.yml',
  gitlab: '.gitlab-ci.yml',
  gitea: '.gitea/workflows/deploy.yml',
  forgejo: '.forgejo/workflows/deploy.yml',
} as const;
type Forge = keyof typeof files;

export function DeployFromForge({ service }: { service: Service }): ReactElement {
  const name = serviceOnCommandLine(service);
  const [forge, setForge] = useState<Forge>('github');
  return (
    <Panel title="Deploy from CI" isPadded>
      <div className="grid gap-3 text-13">
        <p className="text-muted">
          Writes the file that runners need, which takes the command line from this Berth. With --email EMAIL
          it creates a key that may only deploy.
        </p>
        <select
          aria-label="Git host"
          className="input sm:max-w-[200px]"
          value={forge}
          onChange={(event) => setForge(event.target.value as Forge)}
        >
          {Object.keys(files).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <Value what="command">
          {`berth ci setup ${forge} ${name} --runner-url ${location.origin} > ${files[forge]}`}
        </Value>
      </div>
    </Panel>
  );
}
