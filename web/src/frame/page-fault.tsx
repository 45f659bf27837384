import type { ReactElement } from 'react';
import { Empty, Fault } from '../parts/notices.tsx';
import { Go } from './link.tsx';

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
    <main className="mx-auto max-w-[640px] p-6">
      <Fault title="This page could not be shown" error={error} onRetry={reset} />
    </main>
  );
}
