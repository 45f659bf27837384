/** A service goes to another server; the log of it is shown. */
import { useState, type ReactElement } from 'react';
import { useGo } from '../frame/link.tsx';
import { useAsk, useDo, type Input } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { isDatabase } from '../live/services.ts';
import { named, procedureOf, type Service } from './service.ts';

/** One stands for all kinds to the compiler. */
type Moving = 'application.moveToServer';

/** Its option for Berth's own machine, which has no id. */
const own = 'own';

export function MoveToServer({
  service: { id, kind, name },
  onClose,
}: {
  service: Service;
  onClose: () => void;
}): ReactElement {
  const go = useGo();
  const { data: servers = [] } = useAsk('server.all', {});
  const move = useDo(procedureOf(kind, 'moveToServer') as Moving);
  const [target, setTarget] = useState('');
  return (
    <Dialog title={`Move ${name} to another server`} onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const serverId = target === own ? null : target;
          move.mutate({ ...named(kind, id), serverId } as Input<Moving>, {
            onSuccess: ({ deploymentId }) => {
              onClose();
              if (deploymentId !== null) go(`/deployments/${deploymentId}`);
            },
          });
        }}
      >
        <div className="field">
          <label htmlFor="move-server">Server</label>
          <select
            id="move-server"
            className="input"
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          >
            <option value="">Choose…</option>
            <option value={own}>Berth's own machine</option>
            {servers
              .filter(({ serverType }) => serverType === 'deploy')
              .map(({ serverId, name: serverName }) => (
                <option key={serverId} value={serverId}>
                  {serverName}
                </option>
              ))}
          </select>
          <p className="help">
            {isDatabase(kind)
              ? `Its server is stopped, the data is copied there and compared, and a server there takes over;
            the former data stays here. Nobody reaches it meanwhile, and afterwards only by its new address.`
              : `The running version is started there and checked, its domains follow, and it is removed here.
            Then point its host names to that server.`}
          </p>
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
