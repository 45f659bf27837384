/** Services that have previews, and these previews, whatever the kind of the service. */
import type { ApplicationRecord, ComposeRecord } from '../../db/tables.ts';
import { applicationRef, composeRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { Accepting } from '../deployment/deployment.ts';
import type { PreviewFacts } from './preview-deployment.ts';
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

type Identity = Pick<PreviewFacts, 'number' | 'name'>;

/** How a preview is called: `Shop (pull request 12)`, `Shop (preview qa)`. */
export function previewTitle({ name: ofService }: { name: string }, { number, name }: Identity): string {
  return `${ofService} (${name === null ? `pull request ${number ?? ''}` : `preview ${name}`})`;
}

/** The same without its service: `preview of the pull request 12`, `preview qa`. */
export function calledPreview({ number, name }: Identity): string {
  return name === null ? `preview of the pull request ${number ?? ''}` : `preview ${name}`;
}

/** Whether the time is over for which it was asked. */
export function isExpired({ expiresAt }: Pick<AnyPreview, 'expiresAt'>, now: string): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export interface RemovedBy {
  write: <R>(work: () => Promise<R>) => Promise<R>;
  /** Undefined: nobody in person, the pull request has ended. */
  userId?: string;
}

/** What the event of its making tells. */
export type Made = Pick<AnyPreview, 'previewDeploymentId'>;

/** How a preview is made. */
export interface Making {
  write: RemovedBy['write'];
  /** Asked inside the transaction, before anything is made; it may refuse. */
  isSuperseded(): Promise<boolean>;
}

/** What pull requests, and people by hand, do to previews of one kind of service. */
export interface PreviewKind<S = Previewed, P = AnyPreview> {
  service(serviceId: string): Promise<S | undefined>;
  /** Every preview of the installation. */
  all(): Promise<P[]>;
  ofPullRequest(serviceId: string, number: number): Promise<P | undefined>;
  /** Made by hand. */
  ofName(serviceId: string, name: string): Promise<P | undefined>;
  countOf(serviceId: string): Promise<number>;
  /**
   * Makes the preview with its first deployment, unless a newer event that wants none was handled meanwhile;
   * CONFLICT beyond the quota of the organization.
   */
  create(service: S, facts: PreviewFacts, accepting: Accepting, making: Making): Promise<void>;
  /** Deploys it from another commit; part of the caller's transaction. */
  renew(service: S, preview: P, facts: PreviewFacts, accepting: Accepting): Promise<void>;
  /** What is deployed when it is. */
  ref(preview: P): ServiceRef;
  /** Whether it runs, or a deployment of it is under way. */
  isThere(preview: P): Promise<boolean>;
  remove(service: S, preview: P, by: RemovedBy): Promise<void>;
}

export type PreviewKinds = Record<PreviewedKind, PreviewKind>;
