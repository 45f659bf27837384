/** What the stages of a deployment share. */
import type { ApplicationRecord, DeploymentRecord } from '../db/tables.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogWriter } from '../ports/deployment-log.ts';
import type { SurroundingBlocks } from '../domain/variables/env.ts';
import type { Secret } from '../domain/secrets/secret.ts';
import type { ServiceRef } from '../domain/names/service-ref.ts';
import type { AppliedService, Engine, ServiceSpec } from '../ports/engine/engine.ts';
import type { RegistryAuth } from '../ports/engine/registry-auth.ts';
import type { Git } from '../ports/git.ts';
import type { Outgoing } from '../ports/outgoing.ts';
import type { WorkFiles } from '../ports/host/work-files.ts';
import type { ApplicationParts, ApplicationVariables } from './inputs/application-inputs.ts';
import type { Consumer } from './inputs/service-references.ts';
import type { ReleasedInputs } from './inputs/inputs.ts';
import type { Applications } from '../modules/application/application.ts';
import type { ImageAccess } from '../modules/image/image.ts';
import type { ServicePatch } from '../modules/deployment/deployment.ts';
import type { BuildServers } from '../modules/server/server.ts';
import type { BuildPlace, HostParts } from './host-parts.ts';
import type { DomainRecord, MountRecord, PortRecord } from './release/release-inputs.ts';
import type { ProcessIdentity } from '../domain/states/process-identity.ts';

/** Where an application stands: its environment, project and organization. */
export type Placement = Awaited<ReturnType<Applications['placement']>>;

/** Programs and records a deployment works with, whatever the host; the same for all of them. */
export interface DeployPorts {
  git: Git;
  /** Work of the engine with a registry, judged before it begins. */
  reachRegistry: Outgoing['registry'];
  /** Who may run which image. */
  images: ImageAccess;
  clock: Clock;
  records: DeployRecords;
  settings(): Promise<DeploySettings>;
  buildServers: Pick<BuildServers, 'requireStill'>;
  /** CONFLICT when the organization takes more disk than it may, measured on this server now. */
  requireDisk(organizationId: string, on: { serverKey: string; engine: Engine }): Promise<void>;
  /** Bytes of disk that the organization may still take, as last measured; Infinity without a limit. */
  diskLeft(organizationId: string): Promise<number>;
  /** Folders of Berth's machine that the organization's repositories may lie in; none without host reach. */
  localRepositoryPaths(organizationId: string): Promise<readonly string[]>;
  /** Folder that holds one folder per running deployment. */
  workRoot: string;
  fileSystem: WorkFiles;
  /** Labels of one-off tasks, which tell the run of Berth that waits for them. */
  taskLabels: Record<string, string>;
}

export interface DeploySettings {
  buildMemoryBytes: number;
  buildNanoCpus: number;
  minFreeDisk: number;
  keptImages: number;
}

/**
 * Variable blocks of project and environment, and the services beside the consumer where one of the blocks,
 * or of its `own`, may refer to them. Blocks that are `known` are not read again.
 */
export type SurroundingBlocksOf = (
  consumer: Consumer,
  own: readonly (string | null)[],
  known?: Pick<SurroundingBlocks, 'project' | 'environment'>,
) => Promise<SurroundingBlocks>;

/** What a deployment reads and writes of the product's records. */
export interface DeployRecords {
  placement(environmentId: string): Promise<Placement>;
  envBlocks: SurroundingBlocksOf;
  /** The folder of the application's newest upload. */
  uploadPath(applicationId: string): Promise<string | null>;
  domains(applicationId: string): Promise<DomainRecord[]>;
  ports(applicationId: string): Promise<PortRecord[]>;
  mounts(applicationId: string): Promise<MountRecord[]>;
  /**
   * The git provider that a service names as githubId: where it is, and what repositories are fetched with.
   */
  gitLink(githubId: string, organizationId: string): Promise<GitLink>;
  sshPrivateKey(sshKeyId: string, organizationId: string): Promise<string>;
  /** Sign-in and image prefix (`host[:port]/prefix/`) of a stored registry. */
  registry(registryId: string, organizationId: string): Promise<{ auth: RegistryAuth; repository: string }>;
  /** What a release takes of the stored registry that an application names; null without one. */
  registryFacts(application: ApplicationRecord): Promise<ApplicationParts['registry']>;
  deployment(deploymentId: string): Promise<DeploymentRecord | undefined>;
  live(application: ApplicationRecord): Promise<DeploymentRecord | undefined>;
  /** Done deployments of the application, newest first. */
  succeeded(applicationId: string): Promise<DeploymentRecord[]>;
  record(deploymentId: string, patch: Partial<DeploymentRecord>): Promise<void>;
  /** From now on the application stands on this server, with the ports that it publishes. */
  place(applicationId: string, serverKey: string): Promise<void>;
  /** Key of the server that it stands on now. */
  placeOf(applicationId: string): Promise<string | undefined>;
  /** From now on its domains without a port of their own lead to this one. */
  followPort(applicationId: string, port: number): Promise<void>;
  /** From now on the application's routes lead to the service of this name. */
  nameReleased(applicationId: string, appName: string): Promise<void>;
}

/** A git provider as the source of a repository. */
export interface GitLink {
  provider: string;
  /** Address of the host. */
  baseUrl: string;
  credentials: { username: string; password: Secret };
}

/** What every attempt at a deployment has, before its service is known. */
export interface AttemptContext {
  clock: Clock;
  deployment: DeploymentRecord;
  log: LogWriter;
  signal: AbortSignal;
  /** Stores a change of the deployment's row and keeps `deployment`, which all stages share, current. */
  save(patch: Partial<DeploymentRecord>): Promise<void>;
  onChild(child: ProcessIdentity): Promise<void>;
  /** Hides these values in everything that is logged from now on. */
  hide(values: readonly string[]): void;
}

/** What every stage has, whatever kind of service is deployed. */
export interface StageContext extends AttemptContext {
  engine: Engine;
  /** Set by the release stage for the stages after it. */
  released?: Released;
}

/** What the stages of an application have. */
export interface DeployContext extends DeployPorts, HostParts, StageContext, ApplicationVariables {
  application: ApplicationRecord;
  /** Whose service, image and deployments these are: the application's, or a preview's. */
  owner: ServiceRef;
  placement: Placement;
  /** Waits for a build server that cannot be reached now. */
  buildPlace(): Promise<BuildPlace>;
  /** Commit to build instead of the newest. */
  pinnedCommit: string | undefined;
  /** Pattern of refs where a host keeps the commits of a pull request. */
  pullRefs?: string | undefined;
}

export interface Released {
  spec: ServiceSpec;
  applied: Pick<AppliedService, 'generation'>;
  previousUpdateStartedAt: string | undefined;
  /**
   * What ran before it. `none`: nothing was ever released; `stopped`: it had no tasks to run; `gone`: the
   * engine has it no longer, a rebuild has removed it.
   */
  former: 'none' | 'stopped' | 'gone' | 'running';
}

/** What is kept of a release, encrypted: enough to make exactly it again, and what it was made of. */
export interface ReleaseSnapshot extends ReleasedInputs {
  spec: ServiceSpec;
  registryId: string | null;
}

/** One step of a deployment. */
export interface Stage<C extends StageContext = DeployContext> extends StageFacts {
  /** What the log says when it begins. */
  sentence(context: C): string;
  run(context: C): Promise<void>;
  /** Puts back what this stage changed, when it or a later one fails. */
  undo?(context: C): Promise<void>;
  /** A building stage that builds nothing this time, and so needs no slot: a ready image is pulled. */
  buildsNothing?(context: C): boolean;
}

/** A stage with what it works on. */
export interface BoundStage extends StageFacts {
  sentence(): string;
  run(): Promise<void>;
  undo(): Promise<void>;
  /** Whether it runs under one of the server's build slots. */
  needsBuildSlot(): boolean;
}

/** What the runner knows of a stage. */
interface StageFacts {
  /** As deployments show it; one name in a plan. */
  name: string;
  /**
   * Where the next attempt goes on when Berth was killed in this stage: in the stage itself, at the release
   * (the engine may have it already), or at the first stage.
   */
  resume: 'here' | 'release' | 'start';
  /**
   * Its processes are a build's: killBuild ends it, and it runs under one of the server's build slots unless
   * it `buildsNothing`.
   */
  holdsBuildSlot: boolean;
}

/** A deployment ready to run. */
export interface Prepared {
  stages: readonly BoundStage[];
  /** The server whose build slot its building stages take; absent: that of the service. */
  buildServerKey?: string | undefined;
  /** What changes in the record of the service with its success; asked when it is done. */
  patch(): ServicePatch;
  /** Where it answers then, for the end of the log. */
  addresses?(): Promise<string[]>;
}

/** How services of one kind are deployed. */
export interface Deployer {
  /**
   * Reads the records anew, takes the service's host and makes a context of its own for its stages; undefined
   * when the service is gone. Throws what is wrong with the records, and when the host cannot be had.
   */
  prepare(context: AttemptContext): Promise<Prepared | undefined>;
}

export function bind<C extends StageContext>(stages: readonly Stage<C>[], context: C): BoundStage[] {
  return stages.map(({ sentence, run, undo, buildsNothing, ...facts }) => ({
    ...facts,
    sentence: () => sentence(context),
    run: () => run(context),
    undo: async () => undo?.(context),
    needsBuildSlot: () => facts.holdsBuildSlot && buildsNothing?.(context) !== true,
  }));
}
