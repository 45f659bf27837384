/** The contents of a database, read only: tables with their rows, a query, the keys of Redis. */
import type { ReactElement } from 'react';
import { isDatabase } from '../live/services.ts';
import { useRights } from '../live/viewer.ts';
import { Notice } from '../parts/notices.tsx';
import type { Service } from '../service/service.ts';
import { Keys } from './keys.tsx';
import { Query } from './query.tsx';
import { Statements } from './statements.tsx';
import { Tables } from './tables.tsx';
import { texts } from './texts.ts';

export function BrowseTab({ service: { kind, id, live, name } }: { service: Service }): ReactElement | null {
  const { viewer, may } = useRights();
  if (!isDatabase(kind) || !viewer) return null;
  // Owners and Admins need this one, too.
  if (!viewer.grants.canReadSecrets) return <Notice>{texts.forbidden}</Notice>;
  if (kind === 'mongo') return <Notice>{texts.mongo(name)}</Notice>;
  if (live === null) return <Notice>{texts.notDeployed}</Notice>;
  if (kind === 'redis')
    return (
      <>
        <Keys databaseId={id} />
        <Statements databaseId={id} isRedis />
      </>
    );
  return (
    <>
      <Tables databaseId={id} />
      {may('canOpenTerminal') && <Query databaseId={id} />}
      <Statements databaseId={id} isRedis={false} />
    </>
  );
}
