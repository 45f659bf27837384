/** Whether a name leads where it is to lead, and what is to be mended. */
import type { ReactElement } from 'react';
import type { Answer } from '../live/api.ts';
import { Mark } from '../parts/mark.tsx';

export function Verdict({
  of,
  miss,
}: {
  of: Answer<'domain.validateDomain'>;
  /** `pending`: the page looks again by itself. */
  miss: 'pending' | 'failed';
}): ReactElement {
  const { isValid, resolvedIps, cdnProvider, error, hint } = of;
  if (!isValid) return <Mark of={miss} word={error ?? 'Does not lead here'} />;
  const here = `Leads here (${resolvedIps.join(', ')})`;
  return (
    <>
      <Mark
        of="done"
        word={cdnProvider === undefined ? here : `Leads to ${cdnProvider} (${resolvedIps.join(', ')})`}
      />
      {hint !== undefined && <span className="text-warn">{hint}</span>}
    </>
  );
}
