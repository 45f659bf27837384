/** The log of a deployment: lines with their position, kept as long as the deployment. */

export interface LoggedLine {
  /** Position after the line: a reader that has it goes on with the next one. */
  position: number;
  text: string;
}

export interface DeploymentLogs {
  /** Opens the log for writing; every line passes `redact` first. */
  writer(deploymentId: string, redact: (text: string) => string): LogWriter;
  /** The lines from a position on (0: all); `tail` keeps only the last ones. */
  read(deploymentId: string, options?: { from?: number; tail?: number }): Promise<LoggedLine[]>;
  /** Lines from a position on as they come, until `isFinished` says that no more will, or the signal fires. */
  follow(
    deploymentId: string,
    options: { from: number; signal: AbortSignal; isFinished(): Promise<boolean> },
  ): AsyncIterable<LoggedLine>;
  remove(deploymentId: string): Promise<void>;
}

export interface LogWriter {
  line(text: string): void;
  close(): Promise<void>;
}
