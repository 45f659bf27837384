/** What is measured of a machine, as its collector gives it. */
import type { Readable } from 'node:stream';
import type { MachineSample, Passing, ServiceSample, ThresholdKind } from '../domain/resources/metrics.ts';

/** Of `since` (epoch milliseconds) and later, as at most so many points. */
export interface MetricsRange {
  since: number;
  points: number;
}

export interface MeasuredService {
  newest: ServiceSample;
  /** Quarter hours and coarser, oldest first. */
  points: ServiceSample[];
}

export interface Collector {
  /** Oldest first. */
  machine(range: MetricsRange): Promise<MachineSample[]>;
  /** Of a service by its `serviceKey`, oldest first; empty when nothing of it was measured. */
  service(key: string, range: MetricsRange): Promise<ServiceSample[]>;
  /** Of every service that was measured lately, by its `serviceKey`. */
  services(range: MetricsRange): Promise<ReadonlyMap<string, MeasuredService>>;
  /** The newest so many samples, oldest first. */
  newest(count: number): Promise<MachineSample[]>;
}

/** What the collector of a machine is to do (interface document, metricsConfig). */
export interface CollectorSettings {
  refreshMs: number;
  containersRefreshMs: number;
  retentionDays: number;
  /** When old figures are removed, in UTC. */
  cleanUpAt: string;
  thresholds: Record<ThresholdKind, number>;
  include: readonly string[];
  exclude: readonly string[];
}

/** The monitoring agent of a server; every method throws AppError when it cannot be asked. */
export interface MonitoringAgent extends Collector {
  /** Digest of the program and of the settings that it runs with. */
  digest(): Promise<string>;
  /** Those that nobody said to have told, oldest first. */
  passings(): Promise<Passing[]>;
  /** These and all before have been told. */
  told(passing: number): Promise<void>;
}

/** The agent as it is laid out on a server. */
export interface AgentProgram {
  files: readonly { path: string; content: string }[];
  /** Path of the file that is run. */
  entry: string;
  /** Of all files and of what runs them. */
  digest: string;
  /** The program that runs it. */
  node: {
    version: string;
    /** As uname(1) calls it. */
    architecture: string;
    /** Its file through gzip(1). */
    compressed(): Readable;
  };
}
