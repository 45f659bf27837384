/** Puts back what a restore, an upgrade or a move replaced. */
import { useState, type ReactElement } from 'react';
import { useDo, type Input } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { texts } from './texts.ts';

export function PutBackVolume({
  of,
  volumeName,
}: {
  of: { databaseId?: string } | { applicationId?: string } | { composeId?: string };
  volumeName: string;
}): ReactElement {
  const use = useDo('backup.useFormerVolume');
  return (
    <PutBack
      what={volumeName}
      onConfirm={() => use.mutateAsync({ ...of, volumeName } as Input<'backup.useFormerVolume'>)}
    />
  );
}

export function UndoRestore({ backupRunId, what }: { backupRunId: string; what: string }): ReactElement {
  const undo = useDo('backup.undoRestore');
  return <PutBack what={what} onConfirm={() => undo.mutateAsync({ backupRunId })} />;
}

function PutBack({ what, onConfirm }: { what: string; onConfirm: () => Promise<unknown> }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button small onClick={() => setAsking(true)}>
        Put back
      </Button>
      {isAsking && (
        <Confirm
          title="Put the former state back?"
          verb="Put back"
          onClose={() => setAsking(false)}
          onConfirm={async () => void (await onConfirm())}
        >
          <p className="[overflow-wrap:anywhere]">
            <code>{what}</code>
          </p>
          <p>{texts.putBack}</p>
        </Confirm>
      )}
    </>
  );
}
