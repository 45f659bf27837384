import type { ReactElement } from 'react';
import { ReadFault, SkeletonRows } from './notices.tsx';
import { Page, Panel } from './page.tsx';

/** A page whose content has not come yet, or cannot be read. */
export function PendingPage({ title, error }: { title: string; error: unknown }): ReactElement {
  return (
    <Page title={title}>
      {error ? (
        <ReadFault error={error} />
      ) : (
        <Panel>
          <SkeletonRows />
        </Panel>
      )}
    </Page>
  );
}
