import type { ReactElement } from 'react';
import { sentenceOf } from '../live/api.ts';
import { Empty, Fault } from '../parts/notices.tsx';
import { Go } from './link.tsx';
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

/** In the words of each browser: the code of a page that an upgrade replaced, or that cannot be fetched. */
const isOfCode = (error: unknown): boolean =>
  /dynamically imported module|module script failed/i.test(sentenceOf(error));

/** A page that broke: the rest of the dashboard goes on. */
export function PageFault({ error, reset }: { error: unknown; reset: () => void }): ReactElement {
  return (
    <div className="mx-auto max-w-[640px] p-6">
      {isOfCode(error) ? (
        <Fault title={texts.noCode} error={texts.noCodeHelp} onRetry={() => location.reload()} />
      ) : (
        <Fault title="This page could not be shown" error={error} onRetry={reset} />
      )}
    </div>
  );
}
