/** What the stages of a compose service have. */
import type { EnvBlocks } from '../../domain/variables/env.ts';
import type { ComposeRecord, DeploymentRecord } from '../../db/tables.ts';
import type { ComposePlan } from '../../modules/compose/translation/plan.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import type { Host } from '../../ports/host/host.ts';
import type { DeployPorts, GitLink, Placement, StageContext, SurroundingBlocksOf } from '../context.ts';
import type { HostAccess, HostParts } from '../host-parts.ts';
import type { DomainRecord, MountRecord } from '../release/release-inputs.ts';
import type { ComposeSnapshot } from './compose-snapshot.ts';

/**
 * What a file asks of the machine, held against what was approved: FORBIDDEN with the dangers that wait
 * for an approval, and the digest to approve them by.
 */
export type JudgeFile = (compose: ComposeRecord, plan: ComposePlan, deploymentId: string) => Promise<void>;

export interface ComposeRecords {
  find(composeId: string): Promise<ComposeRecord | undefined>;
  placement(environmentId: string): Promise<Placement>;
  envBlocks: SurroundingBlocksOf;
  domains(composeId: string): Promise<DomainRecord[]>;
  mounts(composeId: string): Promise<MountRecord[]>;
  sshPrivateKey(sshKeyId: string, organizationId: string): Promise<string>;
  gitLink(githubId: string, organizationId: string): Promise<GitLink>;
  /** Sign-in of the organization's registry that the image comes from, if there is one. */
  registryAuth(image: string, organizationId: string): Promise<RegistryAuth | undefined>;
  /** What runs by the records; undefined before the first release. */
  live(compose: ComposeRecord): Promise<{ commit: string | null; snapshot: ComposeSnapshot } | undefined>;
  /** Done deployments of the compose, newest first. */
  succeeded(composeId: string): Promise<Pick<DeploymentRecord, 'deploymentId'>[]>;
  deployment(deploymentId: string): Promise<DeploymentRecord | undefined>;
  /** From now on its routes lead to the services under these names. */
  nameReleased(
    composeId: string,
    released: Required<
      Pick<ComposeRecord, 'releasedAppName' | 'releasedSuffix'> & { releasedServices: Record<string, string> }
    >,
  ): Promise<void>;
  /** From now on it stands on this server, with its domains. */
  place(composeId: string, serverKey: string): Promise<void>;
  /** Holds the names of these services of its file; CONFLICT when one is another's. */
  reserve(composeId: string, services: readonly string[]): Promise<void>;
}

/** What a compose is deployed with, whatever the host. */
export interface ComposeDeployPorts
  extends Pick<
    DeployPorts,
    | 'git'
    | 'reachRegistry'
    | 'images'
    | 'clock'
    | 'settings'
    | 'requireDisk'
    | 'localRepositoryPaths'
    | 'workRoot'
    | 'fileSystem'
    | 'taskLabels'
  > {
  records: ComposeRecords;
  judgeFile: JudgeFile;
  /** CONFLICT for a port of the host that is reserved or another service's. */
  requireFreePort(
    host: Pick<Host, 'engineView'>,
    wanted: { port: number; protocol: 'tcp' | 'udp'; field: string; compose: ComposeRecord },
  ): Promise<void>;
}

export type ComposePorts = ComposeDeployPorts & HostAccess;

/** One service of a compose while it is released. */
export interface ServiceRun {
  service: string;
  /** The engine has it. */
  applied: Promise<void>;
  /** Healthy, or so long with the engine that whoever only needs it started goes on. */
  started: Promise<void>;
  healthy: Promise<void>;
  /**
   * Healthy and past the engine's monitor, or ended with 0; gives when it was healthy, in ms since the epoch.
   */
  done: Promise<number>;
}

export interface ComposeContext extends StageContext, ComposeDeployPorts, HostParts {
  host: Pick<Host, 'engineView' | 'facts' | 'files' | 'folders'>;
  compose: ComposeRecord;
  placement: Placement;
  blocks: EnvBlocks;
  /** Variables of the compose itself, references put in. */
  ownVariables: Readonly<Record<string, string>>;
  /** The same without the secret ones, for files. */
  plainVariables: Readonly<Record<string, string>>;
  /** The same with those that the repository carries. */
  variables: Record<string, string>;
  /** Commit to deploy instead of the newest. */
  pinnedCommit: string | undefined;
  /** A file that stands in the record, as it is to be deployed instead of the present one. */
  pinnedText?: string | null | undefined;
  /** Set by checkout for the stages before the release. */
  read?: { plan: ComposePlan; text: string };
  /** Set by the release: its services under way. */
  runs?: ServiceRun[];
  /** Ends the watching of all of them. */
  stopRuns?(reason: unknown): void;
}

/** Folder of the compose file in its repository; undefined for one without. */
export function folderOf({
  sourceType,
  composePath,
}: Pick<ComposeRecord, 'sourceType' | 'composePath'>): string | undefined {
  if (sourceType === 'raw') return undefined;
  const cut = composePath.lastIndexOf('/');
  return cut === -1 ? '' : composePath.slice(0, cut);
}

/** Input that the file came from, for errors. */
export const fieldOf = ({ sourceType }: Pick<ComposeRecord, 'sourceType'>): string =>
  sourceType === 'raw' ? 'composeFile' : 'composePath';
