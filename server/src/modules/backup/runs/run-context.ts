/** What the work of a run uses: its log, its record, its steps. */
import type { BackupRunRecord } from '../store.ts';

export interface RunContext {
  run: BackupRunRecord;
  /** Number of the attempt: 2 after Berth was restarted during the first. */
  attempt: number;
  signal: AbortSignal;
  /** Writes a line into the run's log, with the secrets that `hide` was given replaced by dots. */
  say(line: string): void;
  hide(secrets: readonly string[]): void;
  /** Changes the stored run. */
  record(patch: Partial<BackupRunRecord>): Promise<void>;
  /** Begins a step; its result is stored with the run. */
  begin(name: string): Promise<RunStepHandle>;
  /** Runs one step from start to end. */
  step<T>(name: string, work: () => Promise<StepResult<T>>): Promise<T>;
}

export interface StepResult<T> {
  detail?: string;
  value: T;
}

export interface RunStepHandle {
  done(detail?: string): Promise<void>;
  failed(error: unknown): Promise<void>;
  /** The failure of another step has ended it. */
  stopped(): Promise<void>;
}
