/** What Berth asks of a builder: a folder becomes an image. One row per build type in adapters/builder. */
import type { BuildType } from '../../domain/build-type.ts';
import type { OwnBuild } from '../../domain/builds/own-build.ts';
import type { SourceApplication } from '../../domain/builds/source-applications.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import type { ProcessIdentity } from '../../domain/states/process-identity.ts';

export interface Builder {
  /**
   * Builds and tags the image; throws AppError with the reason (a missing program, a failing step, out of
   * memory).
   */
  build(request: BuildRequest): Promise<void>;
  /**
   * Starts the organization's builder, if it does not run, for a build that is about to come. Never rejects:
   * the build tells why it cannot be had.
   */
  getReady(organizationId: string, need: { limits: BuildLimits; signal: AbortSignal }): Promise<void>;
  /** The programs beside docker that build types need; `scratchDirectory` is made and removed. */
  programs(scratchDirectory: string, signal: AbortSignal): Promise<BuilderProgram[]>;
  /**
   * Puts in order what a former run of Berth left of builders; those of organizations that are not among
   * these are removed with their caches.
   */
  tidy(organizations: ReadonlySet<string>): Promise<void>;
  /** Removes an organization's builder with its cache, when there is one. */
  remove(organizationId: string): Promise<void>;
}

export interface BuilderProgram {
  name: string;
  /** Those that need it. */
  buildTypes: BuildType[];
  /** As it tells it; null when it is not there or does not start. */
  version: string | null;
  /** Why there is no version. */
  problem: string | null;
  /** What to do to have it. */
  install: string;
}

export interface BuildRequest {
  /** Whose build it is: it runs in this organization's own builder. */
  organizationId: string;
  buildType: BuildType;
  /** Absolute folder of the source; every path below is relative to it and cannot leave it. */
  sourceDirectory: string;
  /** Sub-folder of the repository that is built. */
  buildPath: string;
  dockerfile: string;
  contextPath: string;
  stage: string | undefined;
  publishDirectory: string | undefined;
  singlePage: boolean;
  /** Tag of the image to make. */
  image: string;
  /** The engine of another host that gets the image; absent: that of the builder's host. */
  deliverTo?: ImageIntake | undefined;
  labels: Record<string, string>;
  /** Build arguments: data, they stay in the image's history. */
  buildArguments: Record<string, string>;
  /** Build secrets: never in a layer or a log. */
  buildSecrets: Record<string, Secret>;
  /** Variables for builders that take the environment (nixpacks, railpack, buildpacks). */
  env: Record<string, string>;
  noCache: boolean;
  /** Folder for this build's private files, removed after. */
  scratchDirectory: string;
  limits: { memoryBytes: number; nanoCpus: number };
  signal: AbortSignal;
  limitMs: number;
  onLine(line: string): void;
  onChild(child: ProcessIdentity): Promise<void>;
  /** Called before the build begins where Berth wrote the Dockerfile itself. */
  onOwnBuild?(build: OwnBuild): Promise<void>;
  /** Called before the build begins, or is refused, where the source has several applications. */
  onApplications?(found: readonly SourceApplication[]): Promise<void>;
}

/** An engine that takes images which the builder of another host made. */
export interface ImageIntake {
  /** As sentences name its host: "this server", "the server frankfurt". */
  name: string;
  /** Unix socket of its API, a path of this machine. */
  socket: string;
}

export interface BuildLimits {
  memoryBytes: number;
  nanoCpus: number;
}

export interface LimitedBuild {
  /** Whether a process was killed for memory in the group since the build began. */
  ranOutOfMemory(): Promise<boolean>;
  end(): Promise<void>;
}

export interface BuildLimiter {
  /**
   * Limits a build from now on; says in one line what holds, or why nothing does. Never fails: a build
   * without limits is better than none.
   */
  begin(limits: BuildLimits, onLine: (line: string) => void): Promise<LimitedBuild>;
}
