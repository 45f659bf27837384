import type { z } from 'zod';
import type { Contracts } from '../../../server/src/modules/contracts.ts';
import type { Estate } from '../fixtures/estate.ts';

/** `unique` goes into what may exist once only. */
export type Make<T> = (estate: Estate, unique: string) => T;

export type Inputs = {
  [R in keyof Contracts]?: {
    [P in keyof Contracts[R]]?: Contracts[R][P] extends { input: infer I extends z.ZodType }
      ? Make<z.input<I>>
      : never;
  };
};
