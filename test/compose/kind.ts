import type { PlannedService } from '../../server/src/modules/compose/translation/plan.ts';

/** A compose file, and what becomes of it. */
export interface Kind {
  file: string;
  variables?: Record<string, string>;
  /** Its folder in a repository; a file of the record has none. */
  folder?: string;
  /** Of services, by their names: what the plan has of each. */
  services?: Record<string, Partial<Record<keyof PlannedService, unknown>>>;
  /** Each is in the notes; there are no others. */
  notes?: RegExp[];
  /** What has to be approved; nothing without it. */
  dangers?: string[];
  refused?: RegExp;
}

export const server = { isOneShot: false, mayEnd: false };
export const job = { isOneShot: true };
export const unawaitedJob = { isOneShot: false, mayEnd: true };
