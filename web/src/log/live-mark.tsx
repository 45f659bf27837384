/** Whether a log is followed: a mark, or a button where it pauses for the logs of other tabs. */
import type { ReactElement } from 'react';
import { Button } from '../parts/button.tsx';
import { Mark } from '../parts/mark.tsx';
import type { LiveLog } from './use-log.ts';

export function LiveMark({ log: { state, resume } }: { log: LiveLog }): ReactElement | null {
  if (state === 'live') return <Mark of="running" word="Live" />;
  if (state !== 'paused') return null;
  return (
    <Button small title="Three logs are followed at once in all tabs of a browser." onClick={resume}>
      Paused for other tabs: follow here
    </Button>
  );
}
