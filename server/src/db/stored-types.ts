/** What stands in JSON columns and has no home of its own. */

export interface ServiceHealthCheck {
  path?: string | undefined;
  port?: number | undefined;
  command?: string[] | undefined;
  interval?: number | undefined;
  timeout?: number | undefined;
  retries?: number | undefined;
  startPeriod?: number | undefined;
}

/**
 * What a server's monitoring measures and keeps (interface document, metricsConfig), but for its token, a
 * secret column of its own. Refresh rates are seconds, thresholds percent.
 */
export interface MetricsConfig {
  server: {
    refreshRate: number;
    port: number;
    urlCallback: string;
    retentionDays: number;
    cronJob: string;
    thresholds: { cpu: number; memory: number };
  };
  containers: { refreshRate: number; services: { include: string[]; exclude: string[] } };
}

/** A volume with the data as it was before an upgrade or a restore; it stays until a person removes it. */
export interface FormerVolume {
  volumeName: string;
  /** Version of the server that wrote it, as far as it is known. */
  dataVersion: string | null;
  containerImage: string;
  /** ISO 8601. */
  since: string;
  /** The server that it is on, null: Berth's own machine; absent: where its database is. */
  serverId?: string | null;
}

/** What a run took from a service for as long as it reads, and gives back however it ends. */
export interface HeldService {
  how: 'paused' | 'stopped';
  /** Ids of what was paused. */
  containers: string[];
}

/** The result of one step of a run. */
export interface RunStep {
  name: string;
  status: 'running' | 'done' | 'error' | 'stopped';
  /** ISO 8601. */
  startedAt: string;
  finishedAt: string | null;
  detail: string | null;
}

/** What a message says, before a channel gives it its form. */
export interface StoredNotice {
  /** The same for every channel; a summary has its own. */
  id: string;
  /** ISO 8601: when it happened; of a summary: when its first fact did. */
  at: string;
  subject: { type: string; id: string; name: string } | null;
  sentences: string[];
  /** By event: how many facts. */
  counts: Record<string, number>;
}
