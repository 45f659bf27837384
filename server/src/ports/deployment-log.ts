/** The log of a deployment or a backup run: lines with their position, kept as long as what it is of. */

export interface LoggedLine {
  /** Position after the line: a reader that has it goes on with the next one. */
  position: number;
  text: string;
}

/** Where reading begins, and thereby which way it goes; `before` undefined is the end. */
export type LogPlace = { from: number } | { before: number | undefined };

/**
 * A log keeps its beginning and its end, within the limit of the installation; a line stands where something
 * was left out, and says how much.
 */
export interface DeploymentLogs {
  /** Opens the log for writing; every line passes `redact` first. */
  writer(deploymentId: string, redact: (text: string) => string): LogWriter;
  /**
   * The last lines, all when `tail` is absent, as far as one answer may hold them; a first line says when
   * there were more. Reads from the end and no more than it gives.
   */
  readEnd(deploymentId: string, options?: { tail?: number | undefined }): Promise<LoggedLine[]>;
  /**
   * Lines from a position on as they come, until `isFinished` says that no more will, or the signal fires.
   */
  follow(
    deploymentId: string,
    options: { from: number; signal: AbortSignal; isFinished(): Promise<boolean> },
  ): AsyncIterable<LoggedLine>;
  /** The lines there are now: those after `from`, oldest first, or those before `before`, newest first. */
  lines(deploymentId: string, place: LogPlace): AsyncIterable<LoggedLine>;
  remove(deploymentId: string): Promise<void>;
}

export interface LogWriter {
  /** Never waits and never fails; what cannot be written is counted, and a line says so. */
  line(text: string): void;
  /** Resolves when every line so far is in the file. */
  close(): Promise<void>;
}
