/** The build slots of a server, as deployments see them. */

/** The job that asks; its lease is the slot's. */
export interface SlotJob {
  jobId: string;
  /** The server that builds, which need not be the one that the service runs on. */
  serverKey: string;
  sequence: number;
  worker: string | null;
  /** Whose build it is: turns are fair between organizations. */
  organizationId: string | null;
}

/** A job that has a slot, or gets one before us. */
export interface JobAhead {
  kind: string;
  payload: Record<string, string>;
}

export interface BuildSlots {
  /**
   * Resolves when the job holds one of its server's slots. `onWait` is called once, with those ahead, when it
   * has to wait. Throws the signal's reason when that fires; the job does not wait any longer then.
   */
  take(
    job: SlotJob,
    options: { signal: AbortSignal; onWait(ahead: readonly JobAhead[]): Promise<void> },
  ): Promise<void>;
  /** Gives the slot back; nothing to do for a job without one. */
  give(job: SlotJob): Promise<void>;
}
