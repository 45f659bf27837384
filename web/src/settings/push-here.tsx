/** Makes this browser a channel of notifications. */
import { useState, type ReactElement } from 'react';
import { ask, refresh, useAsk } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { TextField } from '../form/text-field.tsx';
import { eventsAtFirst } from './notification-events.ts';
import { nameOfBrowser, presentEndpoint, subscribe } from './push.ts';

export function PushHere(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small look="quiet" onClick={() => setOpen(true)}>
        This browser
      </Button>
      {isOpen && <Add onClose={() => setOpen(false)} />}
    </>
  );
}

function Add({ onClose }: { onClose: () => void }): ReactElement {
  const { data: channels = [] } = useAsk('notification.all', {});
  const [name, setName] = useState(nameOfBrowser(navigator.userAgent));
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown; said?: string }>({});
  const add = async (): Promise<void> => {
    const present = await presentEndpoint();
    const own = channels.find(({ push }) => push !== null && push.endpoint === present);
    if (own) {
      setState({ said: `This browser gets messages already, as the channel ${own.name}.` });
      return;
    }
    const push = await subscribe();
    const { notificationId } = await ask('notification.create', {
      name,
      channel: 'push',
      events: [...eventsAtFirst],
      push,
    });
    await refresh('notification');
    await ask('notification.test', { notificationId });
    setState({ said: 'Done: a test message was sent to this browser. Choose its events in the list.' });
  };
  return (
    <Dialog title="Messages to this browser" onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setState({ isBusy: true });
          add().catch((error: unknown) => setState({ error }));
        }}
      >
        <p className="text-13 text-muted">
          Bad news appears on this device, also while the dashboard is closed. The browser asks whether Berth
          may show it.
        </p>
        <TextField label="Name" required maxLength={100} value={name} onEdit={setName} />
        <Fault error={state.error} />
        <p role="status" className="text-13">
          {state.said}
        </p>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{state.said === undefined ? 'Cancel' : 'Close'}</Button>
          {state.said === undefined && (
            <Button type="submit" look="primary" isBusy={state.isBusy ?? false}>
              Allow messages
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
