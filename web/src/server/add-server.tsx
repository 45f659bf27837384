/** A server in two steps: the key that lets Berth in, then where it is; its set-up begins at once. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useGo } from '../frame/link.tsx';
import { ask, refresh, useAsk } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { texts } from './texts.ts';

export function AddServer({ onClose }: { onClose: () => void }): ReactElement {
  const go = useGo();
  const [sshKeyId, setKey] = useState<string | undefined>();
  const [error, setError] = useState<unknown>(null);
  if (!sshKeyId)
    return (
      <Dialog title="Add server: the key" onClose={onClose}>
        <ChooseKey onChosen={setKey} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title="Add server: where it is" onClose={onClose}>
      <Fault error={error} />
      <Form
        of="server.create"
        show={['name', 'ipAddress', 'port', 'username', 'serverType']}
        change={{
          ipAddress: { label: 'Address' },
          port: { label: 'Port of SSH', help: 'Usually 22.', start: () => '22' },
          username: { start: () => 'root' },
          serverType: {
            label: 'Used for',
            start: () => 'deploy',
            options: [
              { value: 'deploy', label: 'Services' },
              { value: 'build', label: 'Builds' },
            ],
          },
        }}
        fixed={{ sshKeyId }}
        verb="Add and set up"
        onDone={({ serverId }) => {
          void ask('server.setup', { serverId }).then(() => {
            void refresh('server');
            go(`/servers/${serverId}`);
          }, setError);
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}

function ChooseKey({
  onChosen,
  onClose,
}: {
  onChosen: (sshKeyId: string) => void;
  onClose: () => void;
}): ReactElement {
  const { data: keys, error } = useAsk('sshKey.all', {}, { retry: false });
  const [chosen, setChosen] = useState<string | undefined>();
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  const key = keys?.find(({ sshKeyId }) => sshKeyId === chosen) ?? keys?.[0];
  const line = key ? `echo '${key.publicKey.trim()}' >> ~/.ssh/authorized_keys` : '';
  const make = (): void => {
    setState({ isBusy: true, error: null });
    makeKey().then(
      (made) => {
        setChosen(made);
        setState({ isBusy: false, error: null });
      },
      (fault: unknown) => setState({ isBusy: false, error: fault }),
    );
  };
  return (
    <div className="grid gap-4 text-13">
      {keys && keys.length > 0 && (
        <select
          className="input"
          aria-label="SSH key"
          value={key?.sshKeyId}
          onChange={(event) => setChosen(event.target.value)}
        >
          {keys.map((one) => (
            <option key={one.sshKeyId} value={one.sshKeyId}>
              {one.name}
            </option>
          ))}
        </select>
      )}
      <p className="text-muted">{key ? texts.key : texts.keyNone}</p>
      {key && (
        <div className="flex items-center gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
          <code className="cut flex-1 text-12" title={line}>
            {line}
          </code>
          <Copy text={line} what="command" />
        </div>
      )}
      <Fault error={error ?? state.error} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look={key ? '' : 'primary'} icon="key" isBusy={state.isBusy} onClick={make}>
          Make a key
        </Button>
        {key && (
          <Button look="primary" onClick={() => onChosen(key.sshKeyId)}>
            Continue
          </Button>
        )}
      </div>
    </div>
  );
}

async function makeKey(): Promise<string> {
  const name = `servers ${new Date().toISOString().slice(0, 10)}`;
  const { sshKeyId } = await ask('sshKey.generate', { name, type: 'ed25519' });
  await refresh('sshKey');
  return sshKeyId;
}
