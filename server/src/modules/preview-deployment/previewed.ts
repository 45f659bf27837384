/** Services whose pull requests become previews, and these previews, whatever the kind of the service. */
import type { ApplicationRecord, ComposeRecord } from '../../db/tables.ts';
import { applicationRef, composeRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { Accepting } from '../deployment/deployment.ts';
import type { PullRequestFacts } from './preview-deployment.ts';
import type { ComposePreview, PreviewDeploymentRecord } from './store.ts';

export type Previewed = ApplicationRecord | ComposeRecord;
export type AnyPreview = PreviewDeploymentRecord | ComposePreview;

export type PreviewedKind = 'application' | 'compose';

interface PreviewedRef extends ServiceRef {
  kind: PreviewedKind;
}

/** The service of a record, or the one that a preview is of. */
export function previewedRef(record: { applicationId: string } | { composeId: string }): PreviewedRef {
  return 'applicationId' in record
    ? { ...applicationRef(record.applicationId), kind: 'application' }
    : { ...composeRef(record.composeId), kind: 'compose' };
}

export interface RemovedBy {
  write: <R>(work: () => Promise<R>) => Promise<R>;
  /** Undefined: nobody in person, the pull request has ended. */
  userId?: string;
}

/** What pull requests do to previews of one kind of service. */
export interface PreviewKind<S = Previewed, P = AnyPreview> {
  service(serviceId: string): Promise<S | undefined>;
  /** Every preview of the installation. */
  all(): Promise<P[]>;
  ofPullRequest(serviceId: string, number: number): Promise<P | undefined>;
  countOf(serviceId: string): Promise<number>;
  /**
   * Makes the preview with its first deployment, unless a newer event that wants none was handled meanwhile;
   * CONFLICT beyond the quota of the organization.
   */
  create(
    service: S,
    facts: PullRequestFacts,
    accepting: Accepting,
    isSuperseded: () => Promise<boolean>,
  ): Promise<void>;
  /** Deploys it from another commit; part of the caller's transaction. */
  renew(service: S, preview: P, facts: PullRequestFacts, accepting: Accepting): Promise<void>;
  /** Whether it runs, or a deployment of it is under way. */
  isThere(preview: P): Promise<boolean>;
  remove(service: S, preview: P, by: RemovedBy): Promise<void>;
}

export type PreviewKinds = Record<PreviewedKind, PreviewKind>;
