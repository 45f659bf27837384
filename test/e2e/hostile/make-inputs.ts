import type { z } from 'zod';
import type { Contracts } from '../../../server/src/modules/contracts.ts';
import type { Fixtures } from '../fixtures/one-of-everything.ts';

/** `unique` goes into what may exist once only. */
export type Make<T> = (fixtures: Fixtures, unique: string) => T;

export type Inputs = {
  [R in keyof Contracts]?: {
    [P in keyof Contracts[R]]?: Contracts[R][P] extends { input: infer I extends z.ZodType }
      ? Make<z.input<I>>
      : never;
  };
};
