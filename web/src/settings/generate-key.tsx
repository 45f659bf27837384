import { useState, type ReactElement } from 'react';
import { useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Value } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { TextField } from '../form/text-field.tsx';

/** Makes a pair, stores the private half, shows the public one. */
export function GenerateKey(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small look="quiet" onClick={() => setOpen(true)}>
        Generate
      </Button>
      {isOpen && <Generate onClose={() => setOpen(false)} />}
    </>
  );
}

function Generate({ onClose }: { onClose: () => void }): ReactElement {
  const generate = useDo('sshKey.generate');
  const [name, setName] = useState('');
  const publicKey = generate.data?.publicKey;
  return (
    <Dialog title="Generate a key" onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          generate.mutate({ name, type: 'ed25519' });
        }}
      >
        {publicKey ? (
          <>
            <p className="text-13 text-muted">Give this public half to the repository or the server.</p>
            <Value what="public key">{publicKey}</Value>
          </>
        ) : (
          <TextField label="Name" required autoFocus value={name} onEdit={setName} />
        )}
        <Fault error={generate.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{publicKey ? 'Close' : 'Cancel'}</Button>
          {!publicKey && (
            <Button type="submit" look="primary" isBusy={generate.isPending}>
              Generate
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
