/** How far the set-up of a server is, and what it did. */
import type { ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import type { Answer } from '../live/api.ts';
import { LogView } from '../log/log-view.tsx';
import { useLog } from '../log/use-log.ts';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { setupStageWords, texts } from './texts.ts';

type Server = Answer<'server.one'>;

const marks: Record<Server['setupStatus'], [MarkName, string]> = {
  idle: ['none', 'Not begun'],
  running: ['running', 'Running'],
  done: ['done', 'Done'],
  error: ['failed', 'Failed'],
};

export function SetupLog({ server, attempt }: { server: Server; attempt: number }): ReactElement | null {
  const { serverId, setupStatus, setupStage, setupError } = server;
  // Another set-up is another log.
  const log = useLog('server.setupLogs', { serverId }, setupStatus !== 'idle', attempt);
  if (setupStatus === 'idle') return null;
  const [mark, word] = marks[setupStatus];
  const stage = setupStage && (setupStageWords[setupStage] ?? setupStage);
  return (
    <Panel
      title={
        <span className="flex items-center gap-3">
          Set-up
          <Mark of={mark} word={stage && setupStatus !== 'done' ? `${word}: ${stage}` : word} />
        </span>
      }
    >
      <div className="p-3 empty:hidden">
        <Fault error={setupError ?? log.fault} />
      </div>
      <LogView
        store={log.store}
        label="set-up log"
        name={`setup-${serverId}`}
        isLive={setupStatus === 'running' && log.state === 'live'}
        height="h-[min(44dvh,360px)]"
      />
    </Panel>
  );
}

/** The key that a server has shown, and another in its place. */
export function HostKey({ server }: { server: Server }): ReactElement {
  const { serverId, hostKeyFingerprint } = server;
  return (
    <Panel title="Host key" isPadded>
      <div className="grid gap-4 text-13">
        <p className="text-muted [overflow-wrap:anywhere]">
          {hostKeyFingerprint ? (
            <>
              Pinned at the first contact: <code>{hostKeyFingerprint}</code>. {texts.hostKey}
            </>
          ) : (
            'It is pinned at the first contact.'
          )}
        </p>
        {hostKeyFingerprint && (
          <Form
            of="server.trustHostKey"
            show={['fingerprint']}
            change={{ fingerprint: { label: 'Fingerprint of the new key', example: 'SHA256:…' } }}
            fixed={{ serverId }}
            verb="Trust this key instead"
          />
        )}
      </div>
    </Panel>
  );
}
