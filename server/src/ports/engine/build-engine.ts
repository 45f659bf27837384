/**
 * The engines that build: each organization has one of its own on each host, so that its builds share neither
 * cache nor images nor network with anybody.
 */
import type { BuildLimiter, BuildLimits, ImageIntake } from './builder.ts';

export interface BuildEngine {
  /** Unix socket of its API, a path of this machine. */
  socket: string;
  /** Limits its build steps. */
  limiter: BuildLimiter;
  /**
   * The base image to build from: the official one, or the one of set-up where the host has that and no
   * registry answers.
   */
  baseFor(image: { official: string; ours: string }, signal: AbortSignal): Promise<string>;
  /** Brings those of these images that the host's engine has and shares with everybody. */
  bring(references: readonly string[], signal: AbortSignal): Promise<void>;
  /** To call once the build runs and all is brought: makes ready beside it what a delivery needs. */
  prepareDelivery(): void;
  /**
   * Hands a built image over to the engine that the build is for, under its tag and with exactly these labels
   * over its own, whatever made it; only layers that this engine lacks travel.
   */
  deliver(
    image: { name: string; labels: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<Delivered>;
  /** The build is over; resolves when nothing is left of it but its cache, and never rejects. */
  giveBack(): Promise<void>;
}

/** What travelled of an image. */
export interface Delivered {
  layers: number;
  sent: number;
  bytes: number;
}

export interface BuildNeed {
  limits: BuildLimits;
  /** The engine that gets what is built; absent: the host's own. */
  deliverTo?: ImageIntake | undefined;
  signal: AbortSignal;
}

export interface BuildEngines {
  /** Starts the organization's engine when it does not run; throws AppError with the reason if it cannot. */
  lend(organizationId: string, need: BuildNeed): Promise<BuildEngine>;
  /** Starts the organization's engine when it was not used lately, so that who lends it finds it running. */
  getReady(organizationId: string, need: Omit<BuildNeed, 'deliverTo'>): Promise<void>;
  /**
   * What a former run of Berth left: engines that run are stopped when nobody uses them, those of
   * organizations that are not among these are removed with their caches.
   */
  tidy(organizations: ReadonlySet<string>): Promise<void>;
  /** Removes the organization's engine with its cache. */
  remove(organizationId: string): Promise<void>;
}

/** What the network of a builder is kept from; networks and addresses as CIDR or plain. */
export interface BuilderWalls {
  /** Reached by nobody. */
  never: readonly string[];
  /** Private, and open nevertheless. */
  open: readonly string[];
  /** Private, and closed. */
  closed: readonly string[];
  /** The machine's own, of which only `hostPorts` (its proxy) are reached. */
  host: readonly string[];
  hostPorts: readonly number[];
}
