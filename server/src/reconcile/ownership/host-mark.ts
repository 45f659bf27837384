/**
 * Whose a host is, by the mark on its proxy: the id of an installation, its incarnation, and its data folder.
 * Pure.
 */
import {
  dataFolderLabel,
  incarnationLabel,
  installationLabel,
  managedLabel,
} from '../../domain/names/labels.ts';
import type { ServiceMark } from '../../ports/engine/service-mark.ts';
import type { IncarnationRecord, Installation } from '../../modules/installation/installation.ts';

export interface MarkedHost {
  /** As sentences name it: "this server", "the server frankfurt". */
  name: string;
  mark: ServiceMark | undefined;
  /** Folder of the proxy on the host as this Berth would mount it. */
  proxyFolder: string;
  isLocal: boolean;
  /** Id that the engine gave to the proxy's service when this installation made it. */
  recordedId: string | undefined;
}

export interface Claimant {
  installation: Installation;
  incarnations: readonly IncarnationRecord[];
  /** Data folder of this Berth. */
  data: string;
  /** Whether a Berth that lives holds the data folder of this machine. */
  isInUse(data: string): boolean;
}

export type Verdict =
  | { kind: 'ours' }
  /** Nobody's, or that of an incarnation that has ended. */
  | { kind: 'free' }
  | { kind: 'foreign'; sentence: string }
  | { kind: 'incarnation'; incarnationId: string; sentence: string };

export function verdictOf(host: MarkedHost, claimant: Claimant): Verdict {
  const { mark } = host;
  if (mark === undefined || mark.labels[managedLabel] !== 'true') return { kind: 'free' };
  const { installationId } = claimant.installation;
  const id = mark.labels[installationLabel];
  if (id === undefined) return unlabelledVerdict(host, mark, claimant);
  if (id !== installationId)
    return foreign(host, claimant, `the installation ${id}`, mark.labels[dataFolderLabel]);
  const folder = mark.labels[dataFolderLabel];
  const incarnationId = mark.labels[incarnationLabel];
  if (incarnationId === undefined) return { kind: 'ours' };
  if (incarnationId === claimant.installation.incarnation.incarnationId)
    return isCopied(host, folder, claimant) ? copied(host, claimant, folder ?? '') : { kind: 'ours' };
  return incarnationVerdict(host, claimant, { incarnationId, folder });
}

/** A proxy from before there were ids is recognized by its record and by the folder that it uses. */
function unlabelledVerdict(host: MarkedHost, mark: ServiceMark, claimant: Claimant): Verdict {
  const { installation, incarnations } = claimant;
  const folder = mark.folders.find((path) => path.endsWith('/proxy'))?.replace(/\/proxy$/, '');
  const isRecorded = host.recordedId === mark.id;
  const isOwnFolder = host.isLocal && mark.folders.includes(host.proxyFolder);
  const { cause } = installation.incarnation;
  if (cause !== 'created' && isOwnFolder) return { kind: 'ours' };
  if (isRecorded && cause !== 'restored') return { kind: 'ours' };
  const former = incarnations.find((one) => one.cause === 'upgraded');
  if (isRecorded && former)
    return incarnationVerdict(host, claimant, { incarnationId: former.incarnationId, folder });
  return foreign(host, claimant, 'an installation from before installations had ids', folder);
}

function incarnationVerdict(
  host: MarkedHost,
  claimant: Claimant,
  { incarnationId, folder }: { incarnationId: string; folder: string | undefined },
): Verdict {
  const known = claimant.incarnations.find((one) => one.incarnationId === incarnationId);
  if (known && known.endedAt !== null) return { kind: 'free' };
  // Nobody else can run from the folder that this Berth holds.
  if (host.isLocal && folder === claimant.data) return { kind: 'free' };
  return {
    kind: 'incarnation',
    incarnationId,
    sentence:
      `${capital(host.name)} is kept by another incarnation of this installation, ${incarnationId}, ` +
      `${folder === undefined ? 'whose data folder is not known' : `with the data folder ${folder}`}; this ` +
      `one, ${claimant.installation.incarnation.incarnationId}, has ${claimant.data}. Nothing was changed ` +
      'there, since two Berths would undo what the other does. If the other one runs, stop it for good and ' +
      'go on with one of them; once it is gone, give it up by its name: ' +
      `./bin/up --give-up ${incarnationId}, or for servers cleanup.giveUp with this incarnationId.`,
  };
}

function isCopied({ isLocal }: MarkedHost, folder: string | undefined, { data, isInUse }: Claimant): boolean {
  return isLocal && folder !== undefined && folder !== data && isInUse(folder);
}

function copied(host: MarkedHost, { data }: Claimant, folder: string): Verdict {
  return {
    kind: 'foreign',
    sentence:
      `${capital(host.name)} is kept by a Berth that runs from ${folder}, and the database of this one in ` +
      `${data} is a copy of its. Nothing was changed. Stop one of the two for good; to move an ` +
      'installation, or to run a copy beside it, restore a backup (./bin/up --restore).',
  };
}

function foreign(
  host: MarkedHost,
  { installation, data }: Claimant,
  other: string,
  folder: string | undefined,
): Verdict {
  return {
    kind: 'foreign',
    sentence:
      `The engine of ${host.name} belongs to ${other}, ` +
      `${folder === undefined ? 'whose data folder is not known' : `with the data folder ${folder}`}; this ` +
      `one is the installation ${installation.installationId} with the data folder ${data}. Nothing was ` +
      `changed there. ${host.isLocal ? waysOutHere : waysOutThere}`,
  };
}

const waysOutHere =
  'If you meant the other one, start with its data folder and database (BERTH_DATA, DATABASE_URL); if you ' +
  'want two, give this one an engine of its own (BERTH_ENGINE_SOCKET). ./bin/up --adopt takes over the ' +
  'proxy and the rules of the packet filter; everything else of the other one stays as it is.';

const waysOutThere =
  'Remove the server from the other installation first (its record, and the service berth-proxy there), or ' +
  'start this Berth once with ./bin/up --adopt, which takes over the proxy and the rules of the packet ' +
  'filter of its servers; everything else of the other one stays as it is.';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
