/** What git hosts told of a service and what came of it; one that was skipped can be judged again. */
import type { ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { named, type Service } from './service.ts';

const marks: Record<Answer<'webhook.one'>['outcome'], [MarkName, string]> = {
  queued: ['done', 'Deployed'],
  skipped: ['cancelled', 'Skipped'],
  duplicate: ['cancelled', 'Seen before'],
  refused: ['failed', 'Refused'],
};
const most = 20;

export function Deliveries({ service: { kind, id } }: { service: Service }): ReactElement {
  const { data, error } = useAsk('webhook.all', named(kind, id), { retry: false });
  const replay = useDo('webhook.replay');
  return (
    <Panel title="Received from git hosts">
      <div className="p-3 empty:hidden">
        <Fault error={error ?? replay.error} />
      </div>
      {!data && !error && <SkeletonRows rows={2} />}
      {data?.length === 0 && <p className="p-4 text-13 text-faint">No git host has called yet.</p>}
      <ul className="rows text-13">
        {data
          ?.slice(0, most)
          .map(({ webhookDeliveryId, outcome, summary, reason, deploymentId, canReplay, receivedAt }) => (
            <li
              key={webhookDeliveryId}
              className="flex min-h-(--row) flex-wrap items-center gap-x-4 py-1 pr-2 pl-4"
            >
              <span className="w-28 shrink-0">
                <Mark of={marks[outcome][0]} word={marks[outcome][1]} />
              </span>
              <span className="min-w-0 flex-1 basis-40 [overflow-wrap:anywhere]">
                {deploymentId ? (
                  <Go to={`/deployments/${deploymentId}`} className="underline decoration-edge">
                    {summary}
                  </Go>
                ) : (
                  summary
                )}
                {reason && <span className="block text-12 text-faint">{reason}</span>}
              </span>
              <span className="text-12 text-faint">
                <Ago at={receivedAt} />
              </span>
              {canReplay && (
                <Button
                  small
                  look="quiet"
                  icon="refresh"
                  aria-label={`Process again: ${summary}`}
                  onClick={() => replay.mutate({ webhookDeliveryId })}
                />
              )}
            </li>
          ))}
      </ul>
    </Panel>
  );
}
