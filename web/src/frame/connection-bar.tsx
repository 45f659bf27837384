/** A bar above every page while Berth does not answer, or serves another version; it goes away by itself. */
import { useEffect, useState, type ReactElement } from 'react';
import { readAgain } from '../live/api.ts';
import { probe, useConnection, watchConnection } from '../live/connection.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { texts } from './texts.ts';

export function ConnectionBar(): ReactElement | null {
  const { reach, isOutdated } = useConnection();
  const [isAsking, setAsking] = useState(false);
  useEffect(() => watchConnection(() => void readAgain(() => true)), []);
  if (reach === 'reached' && !isOutdated) return null;
  const again = async (): Promise<void> => {
    setAsking(true);
    await probe();
    setAsking(false);
  };
  return (
    <div
      role="status"
      className={
        'sticky top-0 z-40 flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-warn-soft ' +
        'px-4 py-1.5 text-13'
      }
    >
      <span className="text-warn">
        <Icon name="globe" size={14} />
      </span>
      <span className="min-w-0 flex-1">
        {reach === 'offline' ? texts.noNetwork : reach === 'lost' ? texts.noAnswer : texts.outdated}
      </span>
      {reach === 'reached' ? (
        <Button small look="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      ) : (
        <Button small isBusy={isAsking} onClick={() => void again()}>
          Try again
        </Button>
      )}
    </div>
  );
}
