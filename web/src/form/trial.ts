/** What would be stored, tried before it is: a failure is told, and a person may save it all the same. */
import { useState } from 'react';
import { useDo, type Input, type Path } from '../live/api.ts';
import { fieldsOf } from './fields.ts';

export interface Trial {
  isTrying: boolean;
  /** Why what was filled in last does not work. */
  fault: unknown;
  /** Rejects with what was refused; resolves at once where nothing that is tried is to be saved. */
  run: (input: object, changed: readonly string[]) => Promise<unknown>;
  fail: (fault: unknown) => void;
  forget: () => void;
}

export function useTrial(procedure: Path | undefined): Trial {
  const [fault, setFault] = useState<unknown>(null);
  const { mutateAsync, isPending } = useDo(procedure ?? ('destination.testConnection' as Path));
  const known = new Set(procedure === undefined ? [] : fieldsOf(procedure).map(({ n }) => n));
  return {
    isTrying: isPending,
    fault,
    run: async (input, changed) => {
      if (!changed.some((name) => known.has(name))) return;
      const tried = Object.entries(input).filter(([name]) => known.has(name));
      await mutateAsync(Object.fromEntries(tried) as Input<Path>);
    },
    fail: setFault,
    forget: () => setFault(null),
  };
}
