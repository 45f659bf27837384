/** The output of tasks that ended, kept when the engine has forgotten them. Times are ISO 8601. */
import type { LogLine } from './engine/engine.ts';

export interface EndedTask {
  taskId: string;
  nodeId: string;
  /** Of a compose service: which of its file. */
  serviceName: string | null;
  /** The deployment of its release. */
  deploymentId: string | null;
  /** Null for one that was told to go, or whose program never ran. */
  exitCode: number | null;
  /** Why it ended by itself; null for one that was stopped on purpose. */
  reason: string | null;
  endedAt: string;
}

export interface KeptTask extends EndedTask {
  /** Of its output, as it is kept. */
  bytes: number;
}

export type EndedLine = Pick<LogLine, 'at' | 'stream' | 'text'>;

/** Whose task it was; the organization is part of where it is kept. */
export interface EndedOwner {
  organizationId: string;
  serviceId: string;
}

export interface EndedOutputs {
  has(owner: EndedOwner, taskId: string): Promise<boolean>;
  /**
   * Keeps the newest lines of a task, in whole or not at all; what is over the limit of its service goes, the
   * oldest tasks first.
   */
  keep(owner: EndedOwner, task: EndedTask, lines: AsyncIterable<EndedLine>): Promise<void>;
  /** Newest first. */
  tasks(owner: EndedOwner): Promise<KeptTask[]>;
  /** Oldest first; undefined when nothing is kept of this task. */
  lines(owner: EndedOwner, taskId: string): Promise<AsyncIterable<EndedLine> | undefined>;
  /** Removes what ended before this time (ms), and all of services that are gone. */
  prune(before: number, isThere: (owner: EndedOwner) => boolean): Promise<void>;
}
