/** How something is: a shape, a colour and a word, so that none of them is needed alone. */
import type { ReactElement } from 'react';

export type Condition =
  | 'up'
  | 'starting'
  | 'degraded'
  | 'down'
  | 'stopped'
  | 'unreachable'
  | 'never deployed';

export type MarkName =
  | Condition
  | 'queued'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'pending'
  | 'issued'
  | 'none';

const circle = <circle cx="5" cy="5" r="4" />;
const half = (
  <>
    <circle cx="5" cy="5" r="3.4" fill="none" stroke="currentColor" strokeWidth="1.2" opacity="0.45" />
    <path d="M5 1a4 4 0 0 1 0 8z" />
  </>
);
const triangle = <path d="M5 .8 9.6 9H.4z" />;
const cross = <path d="m1.5 1.5 7 7m0-7-7 7" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />;
const square = <rect x="1.2" y="1.2" width="7.6" height="7.6" rx="1" />;
const ring = <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.4" />;
const diamond = <path d="M5 .8 9.2 5 5 9.2.8 5z" fill="none" stroke="currentColor" strokeWidth="1.4" />;
const tick = (
  <path d="m1.2 5.4 2.6 2.6 5-6" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
);

interface Look {
  shape: ReactElement;
  tone: string;
  word: string;
  isBusy?: boolean;
}

const looks: Record<MarkName, Look> = {
  up: { shape: circle, tone: 'text-up', word: 'Up' },
  starting: { shape: half, tone: 'text-busy', word: 'Starting', isBusy: true },
  degraded: { shape: triangle, tone: 'text-warn', word: 'Degraded' },
  down: { shape: cross, tone: 'text-down', word: 'Down' },
  stopped: { shape: square, tone: 'text-faint', word: 'Stopped' },
  unreachable: { shape: diamond, tone: 'text-warn', word: 'Unreachable' },
  'never deployed': { shape: ring, tone: 'text-faint', word: 'Never deployed' },
  queued: { shape: ring, tone: 'text-faint', word: 'Queued' },
  running: { shape: half, tone: 'text-busy', word: 'Running', isBusy: true },
  done: { shape: tick, tone: 'text-up', word: 'Done' },
  failed: { shape: cross, tone: 'text-down', word: 'Failed' },
  cancelled: { shape: square, tone: 'text-faint', word: 'Cancelled' },
  pending: { shape: half, tone: 'text-busy', word: 'Pending', isBusy: true },
  issued: { shape: tick, tone: 'text-up', word: 'Issued' },
  none: { shape: ring, tone: 'text-faint', word: 'None' },
};

export const markNames = Object.keys(looks) as MarkName[];

export function Mark({
  of,
  word,
  isQuiet = false,
}: {
  of: MarkName;
  word?: string | undefined;
  /** The word for screen readers only. */
  isQuiet?: boolean;
}): ReactElement {
  const look = looks[of];
  const text = word ?? look.word;
  return (
    <span className={`mark ${look.tone} ${look.isBusy ? 'busy' : ''}`} title={isQuiet ? text : undefined}>
      <svg viewBox="0 0 10 10" fill="currentColor" aria-hidden="true">
        {look.shape}
      </svg>
      <span className={isQuiet ? 'sr-only' : ''}>{text}</span>
    </span>
  );
}

/** The mark of a deployment's status. */
export const deploymentMark = (status: string): MarkName =>
  status === 'error'
    ? 'failed'
    : status === 'running' || status === 'queued' || status === 'cancelled'
      ? status
      : 'done';
