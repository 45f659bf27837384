/** How an engine looks whether a container is healthy. */
/** Shortest pause between two checks of a container; the engine runs them outside of its limits. */
export const leastIntervalMs = 1000;

export interface HealthCheck {
  /** Docker's form: ["CMD", …argv] or ["CMD-SHELL", text]. */
  test: string[];
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  startPeriodMs: number;
  /** Pause between checks in the start period, on engines from 25.0 on. */
  startIntervalMs?: number;
}

/** A command that runs once is judged by how it ends, and the check of its image is for its servers. */
export const noHealthCheck: HealthCheck = {
  test: ['NONE'],
  intervalMs: 0,
  timeoutMs: 0,
  retries: 0,
  startPeriodMs: 0,
};
