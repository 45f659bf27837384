/** A key for the backups of a destination, shown once as a sheet to print. */
import { useState, type ReactElement } from 'react';
import { refresh, useDo, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { texts } from './texts.ts';

export function RecoveryKey({ destinationId, name }: { destinationId: string; name: string }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small look="quiet" onClick={() => setOpen(true)}>
        Recovery key
      </Button>
      {isOpen && <Make destinationId={destinationId} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

function Make({
  destinationId,
  name,
  onClose,
}: {
  destinationId: string;
  name: string;
  onClose: () => void;
}): ReactElement {
  const make = useDo('destination.makeKey');
  const made = make.data;
  return (
    <Dialog title={made ? `Recovery key of ${name}` : `Make a key for ${name}?`} onClose={onClose}>
      <div className="grid gap-4 text-13">
        {made ? <Sheet made={made} /> : <p>{texts.makeKey}</p>}
        <Fault error={make.error} />
        <div className="flex justify-end gap-2 print:hidden">
          <Button onClick={onClose}>{made ? 'Close' : 'Cancel'}</Button>
          {made ? (
            <Button look="primary" onClick={() => window.print()}>
              Print
            </Button>
          ) : (
            <Button
              look="primary"
              isBusy={make.isPending}
              onClick={() => make.mutate({ destinationId }, { onSuccess: () => void refresh('destination') })}
            >
              Make a key
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Sheet({ made }: { made: Answer<'destination.makeKey'> }): ReactElement {
  const { destination, recipient, identity } = made;
  const place = [destination.bucket, destination.endpoint, destination.path].filter((part) => part !== '');
  return (
    <div className="sheet grid gap-3 [overflow-wrap:anywhere]">
      <p>{texts.keepKey}</p>
      <p className="text-muted">
        {destination.name}
        {place.length > 0 && `: ${place.join(', ')}`}
      </p>
      <div>
        <b className="font-medium">Private key</b>
        <Whole what="private key" text={identity} />
      </div>
      <div>
        <b className="font-medium">Public key</b>
        <Whole what="public key" text={recipient} />
      </div>
      <p>
        {texts.openByHand} <code>age -d -i key.txt BACKUP.gz.age | gunzip</code>
      </p>
    </div>
  );
}

const Whole = ({ what, text }: { what: string; text: string }): ReactElement => (
  <p>
    <code className="select-all">{text}</code>{' '}
    <span className="print:hidden">
      <Copy what={what} text={text} />
    </span>
  </p>
);
