/** Which lines of a log are wanted, as a page keeps it; on a page of its own the address says so. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { everyLine, filterOf, said, without, type FilterState } from './filter.ts';

/** Of a log that is part of a page or a dialog. */
export function useOwnFilter(): FilterState {
  const [filter, setFilter] = useState(everyLine);
  return { filter, change: (part) => setFilter((former) => ({ ...former, ...part })) };
}

/** While somebody types, the address waits for the end of the word. */
const addressAfterMs = 300;

export function useFilterInAddress(): FilterState {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const [filter, setFilter] = useState(() => filterOf(search));
  const isFirst = useRef(true);
  useEffect(() => {
    // What it was read from says it already.
    if (isFirst.current) return void (isFirst.current = false);
    const timer = setTimeout(
      () =>
        void navigate({
          to: '.',
          search: (former: Record<string, unknown>) => ({ ...without(former), ...said(filter) }),
          hash: true,
          replace: true,
          resetScroll: false,
        } as never),
      addressAfterMs,
    );
    return () => clearTimeout(timer);
  }, [filter, navigate]);
  return { filter, change: (part) => setFilter((former) => ({ ...former, ...part })) };
}
