import type { ReactElement, ReactNode } from 'react';
import { Button } from '../parts/button.tsx';

/** Below a form that no bar saves. */
export function FormButtons({
  verb,
  onCancel,
  onAnyway,
  aside,
  isBusy,
  isTrying,
  isClosed,
  isSaved,
}: {
  verb: string;
  onCancel: (() => void) | undefined;
  /** Saves although the trial failed; undefined where none did. */
  onAnyway: (() => void) | undefined;
  aside: ReactNode;
  isBusy: boolean;
  isTrying: boolean;
  isClosed: boolean;
  isSaved: boolean;
}): ReactElement {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button type="submit" look="primary" isBusy={isBusy || isTrying} disabled={isClosed}>
        {isTrying ? 'Testing …' : onAnyway ? 'Test again' : verb}
      </Button>
      {onAnyway && (
        <Button isBusy={isBusy} onClick={onAnyway}>
          Save anyway
        </Button>
      )}
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      {aside}
      <span className="text-12 text-faint" role="status">
        {isSaved ? 'Saved' : ''}
      </span>
    </div>
  );
}
