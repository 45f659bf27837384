/** A dialog that the address asks for: `?do=stop` opens it once, and the address is plain again. */
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';

export function useAsked<T extends string>(
  known: readonly T[],
): [T | undefined, Dispatch<SetStateAction<T | undefined>>] {
  const router = useRouter();
  const search: { do?: string } = useSearch({ strict: false });
  const [open, setOpen] = useState<T | undefined>();
  const asked = known.find((name) => name === search.do);
  useEffect(() => {
    if (asked === undefined) return;
    setOpen(asked);
    router.history.replace(location.pathname);
  }, [asked, router]);
  return [open, setOpen];
}
