import { useEffect, useState, type ReactElement } from 'react';
import { checkVersion, probe, useConnection } from '../live/connection.ts';
import { Empty, Fault } from '../parts/notices.tsx';
import { Button } from '../parts/button.tsx';
import { Go } from './link.tsx';
import { MissingCode } from './load-page.ts';
import { texts } from './texts.ts';

export function NotFound(): ReactElement {
  return (
    <main className="grid min-h-[60dvh] place-items-center">
      <Empty
        icon="search"
        title="There is nothing here"
        action={
          <Go className="button" to="/">
            Go to Home
          </Go>
        }
      >
        There is no page at this address. It may have been removed, or you may not have access to it.
      </Empty>
    </main>
  );
}

/** A page that broke: the rest of the dashboard goes on. */
export function PageFault({ error, reset }: { error: unknown; reset: () => void }): ReactElement {
  return (
    <div className="mx-auto max-w-[640px] p-6">
      {error instanceof MissingCode ? (
        <div role="alert">
          <NoCode />
        </div>
      ) : (
        <Fault title="This page could not be shown" error={error} onRetry={reset} />
      )}
    </div>
  );
}

/** Loads the page again as soon as Berth answers, unless an upgrade took its code: then a person decides. */
function NoCode(): ReactElement {
  const { reach, isOutdated } = useConnection();
  const [wasAway, setAway] = useState(false);
  useEffect(() => {
    void probe().then((doesAnswer) => doesAnswer && checkVersion());
  }, []);
  if (reach !== 'reached' && !wasAway) setAway(true);
  useEffect(() => {
    if (wasAway && reach === 'reached') location.reload();
  }, [wasAway, reach]);
  const again = async (): Promise<void> => {
    if (await probe()) location.reload();
  };
  return (
    <Empty
      icon="deployment"
      title={isOutdated ? texts.outdated : texts.noCode}
      action={
        <Button look="primary" onClick={() => void again()}>
          {isOutdated ? 'Reload' : 'Try again'}
        </Button>
      }
    >
      {isOutdated ? texts.outdatedHelp : texts.noCodeHelp}
    </Empty>
  );
}
