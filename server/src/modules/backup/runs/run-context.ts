/** What a run works with: its log, its steps, its end. */
import type { BackupRunRecord } from '../store.ts';

export interface RunContext {
  run: BackupRunRecord;
  /** Which try this is: 2 after Berth was restarted in the middle. */
  attempt: number;
  signal: AbortSignal;
  /** A line of the run's log; the secrets of `hide` are dots in it. */
  say(line: string): void;
  hide(secrets: readonly string[]): void;
  /** Changes the stored run. */
  record(patch: Partial<BackupRunRecord>): Promise<void>;
  /** Begins a step; its outcome is kept with the run. */
  begin(name: string): Promise<RunStepHandle>;
  /** One step from its begin to its end. */
  step<T>(name: string, work: () => Promise<StepResult<T>>): Promise<T>;
}

export interface StepResult<T> {
  detail?: string;
  value: T;
}

export interface RunStepHandle {
  done(detail?: string): Promise<void>;
  failed(error: unknown): Promise<void>;
  /** Another step's failure ended it. */
  stopped(): Promise<void>;
}
