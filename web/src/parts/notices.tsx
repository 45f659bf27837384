/** What is shown instead of content: nothing yet, an error with its sentence, or placeholder rows. */
import type { ReactElement, ReactNode } from 'react';
import { queries, sentenceOf } from '../live/api.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { Icon, type IconName } from './icon.tsx';

/** What it is, one button, and the command line for the same. */
export function Empty({
  icon = 'box',
  title,
  children,
  action,
  command,
}: {
  icon?: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  command?: string;
}): ReactElement {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-4 grid size-10 place-items-center rounded-lg border border-line text-faint">
        <Icon name={icon} size={18} />
      </span>
      <h2 className="text-14">{title}</h2>
      {children && <p className="mt-1 max-w-[48ch] text-13 text-muted">{children}</p>}
      {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
      {command && (
        <div className="mt-4 flex items-center gap-1 text-faint">
          <code className="text-12">{command}</code>
          <Copy text={command} what="command" />
        </div>
      )}
    </div>
  );
}

/** The server's sentence, beside what caused it, until it is resolved. */
export function Fault({
  error,
  onRetry,
  title,
  words = (sentence) => sentence,
}: {
  error: unknown;
  onRetry?: (() => void) | undefined;
  title?: string;
  /** What the screen says in place of the server's sentence. */
  words?: (sentence: string) => string;
}): ReactElement | null {
  if (error == null) return null;
  return (
    <div role="alert" className="flex items-start gap-3 rounded-md bg-down-soft px-3 py-2 text-13">
      <span className="mt-0.5 text-down">
        <Icon name="close" size={14} />
      </span>
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {title && <p className="font-medium">{title}</p>}
        <p>{words(sentenceOf(error))}</p>
      </div>
      {onRetry && (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The same at the top of a panel, which has no margin of its own. */
export function PanelFault({ error }: { error: unknown }): ReactElement | null {
  if (!error) return null;
  return (
    <div className="p-2">
      <Fault error={error} />
    </div>
  );
}

/** Of what a page could not read: it is asked for again by a button. */
export function ReadFault({ error }: { error: unknown }): ReactElement | null {
  if (error == null) return null;
  const again = (): void =>
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  return (
    <div className="mb-4">
      <Fault error={error} onRetry={again} />
    </div>
  );
}

export function Notice({
  tone = 'warn',
  children,
}: {
  tone?: 'warn' | 'busy' | 'up' | 'down';
  children: ReactNode;
}): ReactElement {
  const tones = {
    warn: 'bg-warn-soft',
    busy: 'bg-busy-soft',
    up: 'bg-up-soft',
    down: 'bg-down-soft',
  };
  return (
    <div className={`rounded-md px-3 py-2 text-13 [overflow-wrap:anywhere] ${tones[tone]}`}>{children}</div>
  );
}

/** So many rows of the height that the real ones will have. */
export function SkeletonRows({
  rows = 5,
  isSample = false,
}: {
  rows?: number;
  /** Shown for its own sake: nothing is to come. */
  isSample?: boolean;
}): ReactElement {
  return (
    <div aria-hidden="true" data-skeleton={isSample ? undefined : true}>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="flex h-(--row) items-center gap-4 border-b border-line px-4 last:border-0">
          <span className="skeleton size-2.5 !rounded-full" />
          <span className={`skeleton h-3 ${['w-40', 'w-28', 'w-52', 'w-36'][at % 4]}`} />
          <span className="flex-1" />
          <span className="skeleton h-3 w-20 max-sm:hidden" />
        </div>
      ))}
    </div>
  );
}
