/**
 * What becomes of an operation that comes while another one of the same service is in progress (decisions 5):
 * one row for each pair. `modules/interruption/interruption.ts` acts by it; the tests of all pairs are made
 * from it.
 */
import type { DeployedKind } from '../names/service-ref.ts';

/** What is in progress, in the order of a deployment's life; at last what is done by hand. */
export const operationPhases = ['queued', 'waiting', 'building', 'releasing', 'by-hand'] as const;
/**
 * `queued`: behind another deployment of the service. `waiting`: for a build slot. `building` up to the
 * image. `releasing`: from the release on. `by-hand`: a start, stop or reload.
 */
export type OperationPhase = (typeof operationPhases)[number];

export interface PairOutcome {
  /**
   * What comes: `queued` (a deployment, which follows), `acts` (after what is in progress has ended),
   * `beside` (at once), `refused` (409), or `nothing` to do for it.
   */
  comes: 'queued' | 'acts' | 'beside' | 'refused' | 'nothing';
  /** What is in progress: goes on to its own end, or ends at once with this status. */
  present: 'goes on' | 'cancelled' | 'error';
}

type Pairs = Record<OperationPhase, PairOutcome>;

const pair = (comes: PairOutcome['comes'], present: PairOutcome['present']): PairOutcome => ({
  comes,
  present,
});
const every = (outcome: PairOutcome, byHand: PairOutcome): Pairs => ({
  queued: outcome,
  waiting: outcome,
  building: outcome,
  releasing: outcome,
  'by-hand': byHand,
});

const inOrder = every(pair('queued', 'goes on'), pair('queued', 'goes on'));
const endsIt = every(pair('acts', 'cancelled'), pair('acts', 'goes on'));
const notNow = every(pair('refused', 'goes on'), pair('acts', 'goes on'));
const atOnce = every(pair('beside', 'goes on'), pair('beside', 'goes on'));
const nothing = every(pair('nothing', 'goes on'), pair('nothing', 'goes on'));

/** The operation that comes → what is in progress → the outcome. */
export const operationPairs = {
  deploy: inOrder,
  redeploy: inOrder,
  rollback: inOrder,
  rebuild: inOrder,
  upgrade: inOrder,
  start: endsIt,
  stop: endsIt,
  delete: endsIt,
  remove: endsIt,
  reload: notNow,
  run: atOnce,
  killBuild: { ...nothing, waiting: pair('acts', 'error'), building: pair('acts', 'error') },
  cleanQueues: { ...nothing, queued: pair('acts', 'cancelled'), waiting: pair('acts', 'cancelled') },
} as const satisfies Record<string, Pairs>;

export type ServiceOperation = keyof typeof operationPairs;

/** Operations that end a deployment of the service before they act. */
export type EndingOperation = 'start' | 'stop' | 'delete' | 'remove' | 'forget' | 'cancelDeployment';

/** The operations of each kind of service. */
export const serviceOperations = {
  application: [
    'deploy',
    'redeploy',
    'rollback',
    'start',
    'stop',
    'delete',
    'reload',
    'run',
    'killBuild',
    'cleanQueues',
  ],
  database: ['deploy', 'rebuild', 'upgrade', 'start', 'stop', 'remove', 'reload'],
  compose: ['deploy', 'redeploy', 'start', 'stop', 'delete', 'killBuild', 'cleanQueues'],
  previewDeployment: ['redeploy', 'start', 'stop', 'delete', 'killBuild'],
} as const satisfies Record<DeployedKind, readonly ServiceOperation[]>;
