/** What is done to a service: deploy, start, stop, restart, move, delete. */
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useAsked } from '../frame/asked.ts';
import { useGo } from '../frame/link.tsx';
import { toast } from '../frame/toasts.tsx';
import { ask, queue, useAsk, useDo, type Input, type Path } from '../live/api.ts';
import { idField, isDatabase, pathOf } from '../live/services.ts';
import { useRights } from '../live/viewer.ts';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { Fault } from '../parts/notices.tsx';
import { DeleteService } from './delete-service.tsx';
import { MoveToServer } from './move-to-server.tsx';
import { named, procedureOf, type Service } from './service.ts';
import { texts } from './texts.ts';

/** Deploys and shows the log of it. */
export function useDeploy({ kind, id }: Service): {
  run: (name?: 'deploy' | 'redeploy' | 'rebuild') => void;
  isBusy: boolean;
  error: unknown;
} {
  const go = useGo();
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  // Who has gone elsewhere meanwhile is left there.
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  return {
    ...state,
    run(name = 'deploy') {
      setState({ isBusy: true, error: null });
      queue(procedureOf(kind, name), named(kind, id) as Input<Path>).then(
        (deploymentId) => {
          setState({ isBusy: false, error: null });
          if (deploymentId && isHere.current) go(`/deployments/${deploymentId}`);
        },
        (error: unknown) => setState({ isBusy: false, error }),
      );
    },
  };
}

export function ServiceActions({ service }: { service: Service }): ReactElement {
  const { kind, id, live, status } = service;
  const { may } = useRights();
  const go = useGo();
  const deploy = useDeploy(service);
  const act = useDo(procedureOf(kind, 'start'));
  const [over, setOver] = useAsked(['stop', 'delete', 'move', 'server'] as const);
  const [error, setError] = useState<unknown>(null);
  const isStopped = live === null || live.desired === 0;
  const run = (name: string, done: string, more: object = {}): void => {
    setError(null);
    ask(procedureOf(kind, name), { ...named(kind, id), ...more } as Input<Path>).then(
      () => {
        toast(done);
        act.reset();
      },
      (fault: unknown) => setError(fault),
    );
  };
  const item = (label: string, icon: MenuItem['icon'], onPick: () => void): MenuItem => ({
    label,
    onPick,
    ...(icon ? { icon } : {}),
  });
  const items: (MenuItem | 'line')[] = [
    ...(kind === 'application'
      ? [item('Deploy the same commit again', 'refresh', () => deploy.run('redeploy'))]
      : []),
    ...(isDatabase(kind) ? [item('Recreate its container', 'refresh', () => deploy.run('rebuild'))] : []),
    ...(kind === 'application' && !isStopped
      ? [item('Restart', 'refresh', () => run('restart', `${service.name} restarts`))]
      : []),
    ...(isDatabase(kind) && !isStopped
      ? [
          item('Restart', 'refresh', () =>
            run('reload', `${service.name} restarts`, { appName: service.appName }),
          ),
        ]
      : []),
    ...(status === 'running' && !isDatabase(kind)
      ? [
          item('Cancel queued deployments', 'stop', () =>
            run('cleanQueues', 'Queued deployments are cancelled'),
          ),
        ]
      : []),
    ...(live !== null && isStopped
      ? [item('Start', 'play', () => run('start', `${service.name} starts`))]
      : []),
    ...(!isStopped ? [item('Stop', 'stop', () => setOver('stop'))] : []),
    'line',
    item('Move to another environment', 'project', () => setOver('move')),
    item('Move to another server', 'server', () => setOver('server')),
    ...(may('canDeleteServices')
      ? ([
          'line',
          { label: 'Delete', icon: 'close', isDanger: true, onPick: () => setOver('delete') },
        ] as const)
      : []),
  ];
  return (
    <>
      <Button look="primary" icon="deployment" isBusy={deploy.isBusy} onClick={() => deploy.run()}>
        {texts.deploy}
      </Button>
      <Menu label="More for this service" items={items} />
      {(deploy.error ?? error) != null && (
        <div className="basis-full">
          <Fault error={deploy.error ?? error} />
        </div>
      )}
      {over === 'stop' && (
        <Confirm
          title={texts.stopTitle}
          verb="Stop"
          onClose={() => setOver(undefined)}
          onConfirm={() => ask(procedureOf(kind, 'stop'), named(kind, id) as Input<Path>)}
        >
          <p>{texts.stop}</p>
        </Confirm>
      )}
      {over === 'delete' && <DeleteService service={service} onClose={() => setOver(undefined)} />}
      {over === 'server' && <MoveToServer service={service} onClose={() => setOver(undefined)} />}
      {over === 'move' && (
        <MoveService
          service={service}
          onClose={() => setOver(undefined)}
          onMoved={() => go(pathOf(service))}
        />
      )}
    </>
  );
}

function MoveService({
  service,
  onClose,
  onMoved,
}: {
  service: Service;
  onClose: () => void;
  onMoved: () => void;
}): ReactElement {
  const { data: projects = [] } = useAsk('project.all', {});
  const move = useDo(procedureOf(service.kind, 'move'));
  const [target, setTarget] = useState('');
  return (
    <Dialog title={`Move ${service.name}`} onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          move.mutate({ [idField(service.kind)]: service.id, targetEnvironmentId: target } as Input<Path>, {
            onSuccess: () => (onMoved(), onClose()),
          });
        }}
      >
        <div className="field">
          <label htmlFor="move-target">Environment</label>
          <select
            id="move-target"
            className="input"
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          >
            <option value="">Choose…</option>
            {projects.flatMap((project) =>
              project.environments
                .filter(({ environmentId }) => environmentId !== service.environment.environmentId)
                .map(({ environmentId, name }) => (
                  <option key={environmentId} value={environmentId}>
                    {project.name} / {name}
                  </option>
                )),
            )}
          </select>
          <p className="help">It keeps its data, and reaches the services there after its next deploy.</p>
        </div>
        <Fault error={move.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={target === ''} isBusy={move.isPending}>
            Move
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
