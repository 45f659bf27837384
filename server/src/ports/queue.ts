/** The durable job queue, as modules see it. */

export interface NewJob {
  kind: string;
  payload: Record<string, string>;
  /** Jobs of one service run one after another, in the order they were accepted. */
  serviceKey: string;
  /** Jobs of one server share its concurrency. */
  serverKey: string;
}

/** `serverKey` of jobs that fill databases of previews on a server, of which few run at once. */
export const fillsKey = (serverKey: string): string => `previews:${serverKey}`;

export interface Queue {
  /** Stores the job (inside the caller's transaction, if one is open); it is durable when this returns. */
  enqueue(job: NewJob): Promise<string>;
  /** Cancels the queued jobs of a service; running ones go on. Gives their payloads. */
  cancelQueued(serviceKey: string): Promise<Record<string, string>[]>;
  /** Takes the running jobs of a service away from whoever runs them: their leases cannot be prolonged. */
  cancelRunning(serviceKey: string): Promise<void>;
  /** Tells the worker that there is something to do; call it after the transaction. */
  wake(): void;
}
