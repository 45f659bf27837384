/** Where a destination's objects are kept, and who may keep them there. */
import { posix } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { ObjectStore, OpenStore, RemotePlace, StoreUse } from '../../ports/object-store.ts';
import { checkDestination, isOfServer, type DestinationDraft } from './destination-rules.ts';

export interface PlaceEffects {
  /** Folder with a folder for each organization's local backups. */
  localRoot: string;
  /** Whether the organization may store backups in any folder of the server. */
  reachesHost(organizationId: string): Promise<boolean>;
  /**
   * The real path; FORBIDDEN for one in which no backup is stored, whoever asks: Berth's data, the
   * engine's.
   */
  realPath(path: string): Promise<string>;
  openStore: OpenStore;
}

export interface DestinationPlaces {
  /** The clean draft; refuses what the organization may not store in. */
  checked(organizationId: string, draft: DestinationDraft): Promise<DestinationDraft>;
  storeAt(organizationId: string, draft: DestinationDraft, use?: StoreUse): Promise<ObjectStore>;
}

export function destinationPlaces(effects: PlaceEffects): DestinationPlaces {
  return {
    async checked(organizationId, draft) {
      const clean = checkDestination(draft);
      if (clean.provider === 'local') await localFolder(effects, organizationId, clean.path);
      return clean;
    },
    storeAt: async (organizationId, draft, use) =>
      effects.openStore(
        draft.provider === 'local'
          ? { provider: 'local', path: await localFolder(effects, organizationId, draft.path) }
          : placeOf(draft.provider, draft),
        organizationId,
        use,
      ),
  };
}

/**
 * The folder of a local destination: below the organization's own, or where people with host reach said.
 * Looked at anew whenever it is used, since the trust in an organization may end and links may change.
 */
async function localFolder(
  { localRoot, reachesHost, realPath }: PlaceEffects,
  organizationId: string,
  path: string,
): Promise<string> {
  if (!isOfServer(path)) return posix.join(localRoot, organizationId, path);
  if (await reachesHost(organizationId)) return realPath(path);
  throw new AppError(
    'FORBIDDEN',
    `path: ${path} is a folder of the server, which only the installation's organization and trusted ` +
      "ones may store backups in. Leave path empty for your organization's own folder, or use a bucket.",
    { issues: [{ path: 'path', message: 'is a folder of the server' }] },
  );
}

function placeOf(
  provider: RemotePlace['provider'],
  { accessKey, secretAccessKey, bucket, region, endpoint, hostKey, path }: DestinationDraft,
): RemotePlace {
  return {
    provider,
    accessKey: new Secret(accessKey),
    secretAccessKey: new Secret(secretAccessKey),
    bucket,
    region,
    endpoint,
    hostKey,
    path,
  };
}
