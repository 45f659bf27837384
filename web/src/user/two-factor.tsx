/** The second factor: set up with an authenticator app, recovery codes shown once. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useAsk } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Value } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Mark } from '../parts/mark.tsx';
import { Notice } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { QrCode } from './qr-code.tsx';

export function TwoFactor(): ReactElement {
  const { data: user } = useAsk('user.get', {});
  const { data: state } = useAsk('user.twoFactor', {});
  const [over, setOver] = useState<'set up' | 'off' | 'codes' | undefined>();
  const isOn = user?.twoFactor ?? false;
  const left = (state as { recoveryCodesLeft?: number } | undefined)?.recoveryCodesLeft;
  return (
    <Panel title="Second factor" isPadded>
      <div className="flex flex-wrap items-center gap-3 text-13">
        <span className="flex-1 basis-48">
          <Mark of={isOn ? 'done' : 'none'} word={isOn ? 'On' : 'Off'} />
          {left !== undefined && isOn && <span className="ml-3 text-faint">{left} recovery codes left</span>}
        </span>
        {isOn ? (
          <>
            <Button onClick={() => setOver('codes')}>New recovery codes</Button>
            <Button look="danger" onClick={() => setOver('off')}>
              Switch off
            </Button>
          </>
        ) : (
          <Button look="primary" onClick={() => setOver('set up')}>
            Set up
          </Button>
        )}
      </div>
      {over && <Over over={over} onClose={() => setOver(undefined)} />}
    </Panel>
  );
}

type Answered = Readonly<Record<string, unknown>>;

function Over({ over, onClose }: { over: 'set up' | 'off' | 'codes'; onClose: () => void }): ReactElement {
  const [pair, setPair] = useState<Answered | undefined>();
  const [codes, setCodes] = useState<readonly string[] | undefined>();
  const keep = (answer: unknown): void => {
    const { recoveryCodes } = answer as { recoveryCodes?: string[] };
    if (recoveryCodes) setCodes(recoveryCodes);
    else onClose();
  };
  const title = {
    'set up': 'Set up a second factor',
    off: 'Turn off the second factor',
    codes: 'New recovery codes',
  }[over];
  return (
    <Dialog title={title} onClose={onClose}>
      {codes ? (
        <div className="grid gap-4">
          <Notice>
            Keep these codes: each signs you in once without the app, and they are never shown again.
          </Notice>
          <pre className="columns-2 rounded-md bg-sunken p-3 text-13">{codes.join('\n')}</pre>
          <div className="flex justify-end">
            <Button look="primary" onClick={onClose}>
              I have kept them
            </Button>
          </div>
        </div>
      ) : over === 'off' ? (
        <Form of="user.twoFactorDisable" verb="Switch off" onDone={onClose} onCancel={onClose} />
      ) : over === 'codes' ? (
        <Form of="user.twoFactorNewRecoveryCodes" verb="Make new codes" onDone={keep} onCancel={onClose} />
      ) : pair ? (
        <div className="grid gap-4">
          <p className="text-13 text-muted">
            Scan this with your authenticator app, or type the key below it, then enter the code that the app
            shows.
          </p>
          {typeof pair['otpauthUrl'] === 'string' && (
            <QrCode text={pair['otpauthUrl']} label="QR code for an authenticator app" />
          )}
          <Value what="key">{String(pair['secret'] ?? '')}</Value>
          <Form of="user.twoFactorConfirm" verb="Switch on" onDone={keep} onCancel={onClose} />
        </div>
      ) : (
        <Form
          of="user.twoFactorSetUp"
          verb="Continue"
          onDone={(answer) => setPair(answer as Answered)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}
