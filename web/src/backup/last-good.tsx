/** When the last backup was stored, read again and found to be whole. */
import type { ReactElement } from 'react';
import { Ago } from '../parts/time.tsx';

export const LastGood = ({ at }: { at: string | null }): ReactElement =>
  at === null ? (
    <>no good one yet</>
  ) : (
    <>
      the last good one <Ago at={at} />
    </>
  );
