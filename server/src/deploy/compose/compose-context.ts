/** The context of the stages that deploy a compose service. */
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
 * Compares what a file asks of the machine with what was approved. Throws FORBIDDEN with the dangers that
 * need an approval, and with the digest to approve.
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
  /** Credentials of the organization's registry that the image comes from, if there is one. */
  registryAuth(image: string, organizationId: string): Promise<RegistryAuth | undefined>;
  /** The live release; undefined before the first one. */
  live(compose: ComposeRecord): Promise<{ commit: string | null; snapshot: ComposeSnapshot } | undefined>;
  /** Successful deployments of the compose service, newest first. */
  succeeded(composeId: string): Promise<Pick<DeploymentRecord, 'deploymentId'>[]>;
  deployment(deploymentId: string): Promise<DeploymentRecord | undefined>;
  /** Stores the names of its services on the engine, which its routes lead to from now on. */
  nameReleased(
    composeId: string,
    released: Required<
      Pick<ComposeRecord, 'releasedAppName' | 'releasedSuffix'> & { releasedServices: Record<string, string> }
    >,
  ): Promise<void>;
  /** Records that it is on this server, with its domains. */
  place(composeId: string, serverKey: string): Promise<void>;
  /** Reserves the names of these services of its file; throws CONFLICT when another service has one. */
  reserve(composeId: string, services: readonly string[]): Promise<void>;
}

/** What the deployment of a compose service uses on any host. */
export interface ComposeDeployPorts
  extends Pick<
    DeployPorts,
    | 'git'
    | 'reachRegistry'
    | 'images'
    | 'clock'
    | 'settings'
    | 'requireDisk'
    | 'diskLeft'
    | 'localRepositoryPaths'
    | 'workRoot'
    | 'fileSystem'
    | 'taskLabels'
  > {
  records: ComposeRecords;
  judgeFile: JudgeFile;
  /** Ports of the proxy and of Berth itself: what a compose file publishes there is reached by a domain. */
  webPorts: readonly number[];
  /** Throws CONFLICT for a port of the host that is reserved or that another service has. */
  requireFreePort(
    host: Pick<Host, 'engineView'>,
    wanted: { port: number; protocol: 'tcp' | 'udp'; field: string; compose: ComposeRecord },
  ): Promise<void>;
}

export type ComposePorts = ComposeDeployPorts & HostAccess;

/** One service of a compose file during a release. */
export interface ServiceRun {
  service: string;
  /** Resolves when the engine has accepted the service. */
  applied: Promise<void>;
  /** Resolves when it is healthy, or after a time limit, for services that only need it to be started. */
  started: Promise<void>;
  healthy: Promise<void>;
  /**
   * Resolves when it is healthy and past the engine's monitor, or ended with 0; the value is when it became
   * healthy, in ms since the epoch.
   */
  done: Promise<number>;
}

export interface ComposeContext extends StageContext, ComposeDeployPorts, HostParts {
  host: Pick<Host, 'engineView' | 'facts' | 'files' | 'folders'>;
  compose: ComposeRecord;
  placement: Placement;
  blocks: EnvBlocks;
  /** Variables of the compose service itself, with references resolved. */
  ownVariables: Readonly<Record<string, string>>;
  /** The same without secret ones, for files. */
  plainVariables: Readonly<Record<string, string>>;
  /** The same together with the variables of the repository. */
  variables: Record<string, string>;
  /** Commit to deploy instead of the newest. */
  pinnedCommit: string | undefined;
  /** Of a preview: refs under which the git host offers the commits of its pull request. */
  pullRefs?: string | undefined;
  /** An earlier text of the record's compose file, to be deployed instead of the present one. */
  pinnedText?: string | null | undefined;
  /** Set by checkout for the stages before the release. */
  read?: { plan: ComposePlan; text: string };
  /** Set by the release: the services that are being released. */
  runs?: ServiceRun[];
  /** Stops watching all of them. */
  stopRuns?(reason: unknown): void;
}

/** Folder of the compose file in its repository; undefined without a repository. */
export function folderOf({
  sourceType,
  composePath,
}: Pick<ComposeRecord, 'sourceType' | 'composePath'>): string | undefined {
  if (sourceType === 'raw') return undefined;
  const cut = composePath.lastIndexOf('/');
  return cut === -1 ? '' : composePath.slice(0, cut);
}

/** Name of the input field that the file comes from, for error messages. */
export const fieldOf = ({ sourceType }: Pick<ComposeRecord, 'sourceType'>): string =>
  sourceType === 'raw' ? 'composeFile' : 'composePath';
