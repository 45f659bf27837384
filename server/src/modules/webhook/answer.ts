/** What the address answers with 200. */
export type HookAnswer =
  | { queued: true; deploymentId?: string }
  | { skipped: string }
  | { duplicate: true }
  | { ping: true };
