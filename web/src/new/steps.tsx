/** Where one is on the way to a service that answers. */
import type { ReactElement } from 'react';
import { texts } from './texts.ts';

export function Steps({ at }: { at: 0 | 1 | 2 }): ReactElement {
  return (
    <ol aria-label="Steps" className="mb-4 flex flex-wrap gap-x-5 gap-y-1 text-13">
      {texts.steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === at ? 'step' : undefined}
          className={
            'flex items-center gap-2 text-faint ' +
            'aria-[current=step]:font-medium aria-[current=step]:text-ink'
          }
        >
          <span className="grid size-5 place-items-center rounded-full border border-edge text-12">
            {index < at ? '✓' : index + 1}
          </span>
          {step}
        </li>
      ))}
    </ol>
  );
}
