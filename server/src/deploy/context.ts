/** What the stages of a deployment share. */
import type { ApplicationRecord, DeploymentRecord } from '../db/tables.ts';
import type { Builder } from '../ports/builder.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogWriter } from '../ports/deployment-log.ts';
import type { Secret } from '../domain/secret.ts';
import type { ServiceRef } from '../domain/service-ref.ts';
import type { AppliedService, Engine, RegistryAuth, ServiceSpec } from '../ports/engine.ts';
import type { ChildIdentity, Git } from '../ports/git.ts';
import type { WorkFiles } from '../ports/work-files.ts';
import type { ReleasedSettings } from '../modules/application/pending-changes.ts';
import type { Applications } from '../modules/application/application.ts';
import type { ServicePatch } from '../modules/deployment/deployment.ts';
import type { DomainRecord, MountRecord, PortRecord } from './release-inputs.ts';

/** Where an application stands: its environment, project and organization. */
export type Placement = Awaited<ReturnType<Applications['placement']>>;

/** Programs and records a deployment works with; the same for all of them. */
export interface DeployPorts {
  engine: Engine;
  git: Git;
  builder: Builder;
  clock: Clock;
  records: DeployRecords;
  networks: DeployNetworks;
  /** Puts the proxy's routes right (a new domain's network, a first release). */
  applyRoutes(): Promise<void>;
  settings(): Promise<DeploySettings>;
  /** Path of the static busybox on this server. */
  probePath: string;
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
  localRepositoryPaths: string[];
}

/** What a deployment reads and writes of the product's records. */
export interface DeployRecords {
  placement(environmentId: string): Promise<Placement>;
  /** Variable blocks of project and environment. */
  envBlocks(environmentId: string): Promise<{ project: string; environment: string }>;
  domains(applicationId: string): Promise<DomainRecord[]>;
  ports(applicationId: string): Promise<PortRecord[]>;
  mounts(applicationId: string): Promise<MountRecord[]>;
  /** The git provider that a service names as githubId: where it is, and what repositories are fetched with. */
  gitLink(githubId: string, organizationId: string): Promise<GitLink>;
  sshPrivateKey(sshKeyId: string, organizationId: string): Promise<string>;
  /** Sign-in and image prefix (`host[:port]/prefix/`) of a stored registry. */
  registry(registryId: string, organizationId: string): Promise<{ auth: RegistryAuth; repository: string }>;
  deployment(deploymentId: string): Promise<DeploymentRecord | undefined>;
  live(application: ApplicationRecord): Promise<DeploymentRecord | undefined>;
  /** Done deployments of the application, newest first. */
  succeeded(applicationId: string): Promise<DeploymentRecord[]>;
  record(deploymentId: string, patch: Partial<DeploymentRecord>): Promise<void>;
  /** From now on the application's routes lead to the service of this name. */
  nameReleased(applicationId: string, appName: string): Promise<void>;
}

export interface DeployNetworks {
  /** Makes the environment's network when absent, attaches the proxy to it, and gives its name. */
  ensureEnvironment(environmentId: string): Promise<string>;
}

/** A git provider as the source of a repository. */
export interface GitLink {
  provider: string;
  /** Address of the host. */
  baseUrl: string;
  credentials: { username: string; password: Secret };
}

/** What every stage has, whatever kind of service is deployed. */
export interface StageContext {
  engine: Engine;
  clock: Clock;
  deployment: DeploymentRecord;
  log: LogWriter;
  signal: AbortSignal;
  /** Stores a change of the deployment's row and keeps `deployment` current. */
  save(patch: Partial<DeploymentRecord>): Promise<void>;
  onChild(child: ChildIdentity): Promise<void>;
  /** Hides these values in everything that is logged from now on. */
  hide(values: readonly string[]): void;
  /** Set by the release stage for the stages after it. */
  released?: Released;
}

/** What the stages of an application have. */
export interface DeployContext extends DeployPorts, StageContext {
  application: ApplicationRecord;
  /** Whose service, image and deployments these are: the application's, or a preview's. */
  owner: ServiceRef;
  placement: Placement;
  /** Resolved variables of the service. */
  env: Record<string, string>;
  buildArguments: Record<string, string>;
  buildSecrets: Record<string, string>;
  /** Commit to build instead of the newest. */
  pinnedCommit: string | undefined;
  /** Pattern of refs where a host keeps the commits of a pull request. */
  pullRefs?: string | undefined;
}

export interface Released {
  spec: ServiceSpec;
  applied: Pick<AppliedService, 'generation'>;
  previousUpdateStartedAt: string | undefined;
  isFirst: boolean;
  healthyAt?: number;
}

/** What is kept of a release, encrypted: enough to make exactly it again. */
export interface ReleaseSnapshot {
  spec: ServiceSpec;
  /** Of an application. */
  settings?: ReleasedSettings;
  registryId: string | null;
}

/** One step of a deployment. */
export interface Stage<C extends StageContext = DeployContext> {
  name: string;
  /** What the log says when it begins. */
  sentence(context: C): string;
  run(context: C): Promise<void>;
}

/** A stage with what it works on. */
export interface BoundStage {
  name: string;
  sentence(): string;
  run(): Promise<void>;
}

/** A deployment ready to run. */
export interface Prepared {
  stages: readonly BoundStage[];
  /** What changes in the record of the service with its success; asked when it is done. */
  patch(): ServicePatch;
  /** Puts back what the stages changed on the way, after a failure. */
  undo?(): Promise<void>;
}

/** How services of one kind are deployed. */
export interface Deployer {
  /** Reads the records anew; undefined when the service is gone. Throws what is wrong with them. */
  prepare(context: StageContext): Promise<Prepared | undefined>;
}

export function bind<C extends StageContext>(stages: readonly Stage<C>[], context: C): BoundStage[] {
  return stages.map(({ name, sentence, run }) => ({
    name,
    sentence: () => sentence(context),
    run: () => run(context),
  }));
}
