import { lazy, Suspense, useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { useRights } from '../live/viewer.ts';
import { Button } from '../parts/button.tsx';
import { Fault, Notice, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { texts } from '../terminal/texts.ts';
import type { Service } from './service.ts';

const Shell = lazy(async () => ({ default: (await import('../terminal/shell.tsx')).Shell }));

/** A shell in what runs; of an application also a command in a new task. */
export function TerminalTab({ service }: { service: Service }): ReactElement {
  const { may, viewer } = useRights();
  if (!viewer) return <SkeletonRows rows={4} />;
  return (
    <>
      {may('canOpenTerminal') ? (
        <>
          <Open service={service} />
          {service.kind === 'application' && <RunOnce service={service} />}
        </>
      ) : (
        <Notice tone="busy">{texts.forbidden}</Notice>
      )}
    </>
  );
}

function Open({ service }: { service: Service }): ReactElement {
  const { kind, id, live, name } = service;
  const isCompose = kind === 'compose';
  const services = useAsk(
    'compose.loadServices',
    { composeId: id },
    { enabled: isCompose && live !== null, retry: false },
  );
  const [chosen, setChosen] = useState<string | undefined>();
  const runs = live !== null && live.running > 0;
  const hadShell = useRef(false);
  useEffect(() => {
    if (runs) hadShell.current = true;
  }, [runs]);
  // A shell that was there says itself why it ended.
  if (!runs && !hadShell.current)
    return (
      <div className="mb-4">
        <Notice tone="busy">{texts.notRunning}</Notice>
      </div>
    );
  const serviceName = isCompose ? (chosen ?? services.data?.[0]) : undefined;
  if (isCompose && !serviceName) return <Fault error={services.error} />;
  return (
    <>
      {isCompose && (
        <select
          aria-label="Service of the file"
          className="input mb-3 sm:max-w-[260px]"
          value={serviceName}
          onChange={(event) => setChosen(event.target.value)}
        >
          {services.data?.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
      <Suspense fallback={<SkeletonRows rows={8} />}>
        <Shell
          name={serviceName ?? name}
          input={{ serviceId: id, ...(serviceName ? { serviceName } : {}) }}
        />
      </Suspense>
    </>
  );
}
type Outcome = Answer<'application.run'>;

function RunOnce({ service }: { service: Service }): ReactElement {
  const run = useDo('application.run');
  const [command, setCommand] = useState('');
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setOutcome(undefined);
    run.mutate({ applicationId: service.id, command }, { onSuccess: setOutcome });
  };
  return (
    <Panel title="Run a command" isPadded>
      <form className="grid gap-3" onSubmit={submit}>
        <div className="flex gap-2">
          <input
            className="input mono"
            aria-label="Command"
            placeholder="such as npm run migrate"
            spellCheck={false}
            autoComplete="off"
            value={command}
            onChange={(event) => setCommand(event.target.value)}
          />
          <Button type="submit" look="primary" isBusy={run.isPending} disabled={command.trim() === ''}>
            Run
          </Button>
        </div>
        <p className="text-12 text-faint">
          In a new task of the release that runs, with its variables and volumes.
        </p>
        <Fault error={run.error} />
        {outcome && (
          <pre className="max-h-[50dvh] overflow-auto rounded-md bg-sunken p-3 text-13" tabIndex={0}>
            {outcome.log.map(({ text }) => `${text}\n`).join('')}
            {outcome.error}
            <span className="text-faint">{`exit code ${outcome.exitCode ?? 'unknown'}`}</span>
          </pre>
        )}
      </form>
    </Panel>
  );
}
