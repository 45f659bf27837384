/** Commands that a service runs by schedule: when each runs next, how its last runs ended, their output. */
import { useState, type ReactElement } from 'react';
import { texts as backupTexts } from '../backup/texts.ts';
import { zoneHere } from '../form/cron-field.tsx';
import type { FieldChange } from '../form/form-field.tsx';
import { Form } from '../form/form.tsx';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { useRights } from '../live/viewer.ts';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Fault, Notice, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import type { ServiceKind } from '../live/services.ts';
import { named, type Service } from '../service/service.ts';
import { cronWords } from './cron-words.ts';
import { Runs } from './runs.tsx';
import { texts } from './texts.ts';

type Schedule = Answer<'schedule.all'>[number];

export function SchedulesTab({ service }: { service: Service }): ReactElement {
  const { kind, id } = service;
  const { data, error } = useAsk('schedule.all', named(kind, id));
  const [isAdding, setAdding] = useState(false);
  const { may, viewer } = useRights();
  const mayRun = may('canOpenTerminal');
  const add = mayRun && (
    <Button small icon="plus" onClick={() => setAdding(true)}>
      Add schedule
    </Button>
  );
  return (
    <>
      {viewer && !mayRun && (
        <div className="mb-4">
          <Notice tone="busy">{texts.forbidden}</Notice>
        </div>
      )}
      <ReadFault error={error} />
      {!data && !error && (
        <Panel>
          <SkeletonRows rows={3} />
        </Panel>
      )}
      {data?.length === 0 && (
        <Panel>
          <Empty
            icon="clock"
            title="No schedule yet"
            action={add}
            {...(mayRun
              ? {
                  command: commandFor(kind, id),
                }
              : {})}
          >
            {texts.about}
          </Empty>
        </Panel>
      )}
      {data && data.length > 0 && <div className="mb-4 flex justify-end">{add}</div>}
      {data?.map((schedule) => (
        <OneSchedule
          key={schedule.scheduleId}
          schedule={schedule}
          isCompose={kind === 'compose'}
          mayRun={mayRun}
        />
      ))}
      {isAdding && (
        <Dialog title="Add schedule" onClose={() => setAdding(false)}>
          <Form
            of="schedule.create"
            show={fieldsOf(kind === 'compose')}
            change={changes}
            fixed={named(kind, id)}
            verb="Add schedule"
            onDone={() => setAdding(false)}
            onCancel={() => setAdding(false)}
          />
        </Dialog>
      )}
    </>
  );
}

function commandFor(kind: ServiceKind, id: string): string {
  const service = `--${kind}Id ${id}${kind === 'compose' ? ' --serviceName web' : ''}`;
  return `berth api schedule.create ${service} --name nightly --cron "0 4 * * *" --command date`;
}

const fieldsOf = (isCompose: boolean) =>
  [
    'name',
    ...(isCompose ? (['serviceName'] as const) : []),
    'command',
    'cron',
    'timeZone',
    'limitMinutes',
  ] as const;

const changes: Readonly<Record<string, FieldChange>> = {
  name: { example: 'nightly clean-up' },
  cron: { label: 'When', as: 'cron', help: backupTexts.schedule, start: () => '0 4 * * *' },
  timeZone: { label: 'Time zone', as: 'zone', help: texts.timeZone, start: zoneHere },
  command: { as: 'text', example: 'node clean-up.js', help: texts.command },
  limitMinutes: { label: 'Ended after', unit: 'minutes', example: '60', isFolded: true },
  serviceName: { label: 'Service of the file', example: 'web' },
};

function OneSchedule({
  schedule,
  isCompose,
  mayRun,
}: {
  schedule: Schedule;
  isCompose: boolean;
  mayRun: boolean;
}): ReactElement {
  const { scheduleId, name, cron, timeZone, command, enabled, nextRunAt, serviceName } = schedule;
  const run = useDo('schedule.run');
  const update = useDo('schedule.update');
  const remove = useDo('schedule.remove');
  const [over, setOver] = useState<'change' | 'remove' | undefined>();
  const error = run.error ?? update.error;
  return (
    <Panel
      title={name}
      actions={
        <>
          {mayRun && (
            <Button small icon="play" isBusy={run.isPending} onClick={() => run.mutate({ scheduleId })}>
              Run now
            </Button>
          )}
          <Menu
            label={`More for ${name}`}
            className="button quiet small icon"
            items={[
              ...(mayRun
                ? [
                    { label: 'Change', icon: 'settings' as const, onPick: () => setOver('change') },
                    {
                      label: enabled ? 'Switch off' : 'Switch on',
                      icon: enabled ? ('stop' as const) : ('play' as const),
                      onPick: () => update.mutate({ scheduleId, enabled: !enabled }),
                    },
                  ]
                : []),
              { label: 'Remove', icon: 'close', isDanger: true, onPick: () => setOver('remove') },
            ]}
          />
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 text-13">
        <span title={cron}>
          {cronWords(cron)} <span className="text-faint">{timeZone}</span>
        </span>
        <code className="cut min-w-0 flex-1 basis-40 text-12 text-muted" title={command.join(' ')}>
          {command.join(' ')}
        </code>
        {serviceName && <span className="text-faint">in {serviceName}</span>}
        <span className="text-faint">
          {enabled ? (
            <>
              next <Ago at={nextRunAt} />
            </>
          ) : (
            'Switched off'
          )}
        </span>
      </div>
      <div className="px-4 py-2 empty:hidden">
        <Fault error={error} />
      </div>
      <Runs scheduleId={scheduleId} name={name} />
      {over === 'change' && (
        <Dialog title={name} onClose={() => setOver(undefined)}>
          <Form
            of="schedule.update"
            show={fieldsOf(isCompose)}
            change={changes}
            fixed={{ scheduleId }}
            stored={{ ...schedule }}
            verb="Save"
            onDone={() => setOver(undefined)}
            onCancel={() => setOver(undefined)}
          />
        </Dialog>
      )}
      {over === 'remove' && (
        <Confirm
          title={`Remove ${name}?`}
          verb="Remove"
          onClose={() => setOver(undefined)}
          onConfirm={() => remove.mutateAsync({ scheduleId })}
        >
          <p>{texts.removal}</p>
        </Confirm>
      )}
    </Panel>
  );
}
