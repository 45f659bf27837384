/** What something writes, live, over the page. */
import type { ReactElement } from 'react';
import type { Path } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { LiveMark } from './live-mark.tsx';
import { LogView } from './log-view.tsx';
import { useLog } from './use-log.ts';

export function OutputDialog({
  of,
  input,
  name,
  onClose,
}: {
  /** The stream that gives it. */
  of: Path;
  input: object;
  name: string;
  onClose: () => void;
}): ReactElement {
  const log = useLog(of, { ...input, tail: 2_000 });
  return (
    <Dialog title={`Output of ${name}`} look="wide" onClose={onClose}>
      <div className="grid gap-3">
        <Fault error={log.fault} />
        <div className="overflow-clip rounded-lg border border-line">
          <LogView
            store={log.store}
            label={`output of ${name}`}
            name={name}
            isLive={log.state === 'live'}
            height="h-[min(50dvh,480px)]"
            aside={<LiveMark log={log} />}
          />
        </div>
        <div className="flex justify-end">
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}
