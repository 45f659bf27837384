/** The Dockerfile that Berth wrote for a source without one. */
import type { ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { Copy } from '../parts/copy.tsx';
import { Panel } from '../parts/page.tsx';
import type { Deployment } from './deployment-record.ts';
import { texts } from './texts.ts';

/** Known once the build has begun; asked again when the deployment is in its next stage. */
export function WrittenDockerfile({ deployment }: { deployment: Deployment }): ReactElement | null {
  const { deploymentId, image } = deployment;
  const { data } = useAsk('deployment.dockerfile', { deploymentId }, { enabled: image !== null });
  if (!data) return null;
  const { framework, language, dockerfile, reasons, watchPaths } = data;
  return (
    <Panel title={texts.dockerfile}>
      <details className="px-4 py-3 text-13">
        <summary className="cursor-pointer">
          {framework ?? language}: {texts.written}
        </summary>
        <ul className="mt-3 list-disc pl-5 text-muted">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
          {watchPaths.length > 0 && (
            <li>
              {texts.watchPaths} {watchPaths.join(', ')}
            </li>
          )}
        </ul>
        <div className="mt-3 flex items-start gap-2">
          <pre className="min-w-0 flex-1 overflow-x-auto rounded bg-sunken p-3 text-12">{dockerfile}</pre>
          <Copy text={dockerfile} what="Dockerfile" />
        </div>
      </details>
    </Panel>
  );
}
