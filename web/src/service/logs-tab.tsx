import type { ReactElement } from 'react';
import { exists } from '../live/api.ts';
import { LogView } from '../log/log-view.tsx';
import { useLog } from '../log/use-log.ts';
import { Mark } from '../parts/mark.tsx';
import { Fault, Notice } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { named, procedureOf, type Service } from './service.ts';
import { texts } from './texts.ts';

export function LogsTab({ service }: { service: Service }): ReactElement {
  const { kind, id, live, appName } = service;
  const path = procedureOf(kind, 'logs');
  const isThere = exists(path);
  const log = useLog(path, { ...named(kind, id), tail: 2000 }, isThere && live !== null);
  if (!isThere) return <Notice>Logs of this kind of service are not available yet.</Notice>;
  return (
    <Panel>
      {log.fault && (
        <div className="p-2">
          <Fault error={log.fault} />
        </div>
      )}
      <LogView
        store={log.store}
        label={`output of ${service.name}`}
        name={appName}
        isLive={log.state === 'live'}
        aside={log.state === 'live' && <Mark of="running" word="Live" />}
        empty={live === null || live.running === 0 ? texts.notRunning : texts.logsEmpty}
      />
    </Panel>
  );
}
