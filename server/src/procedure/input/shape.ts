/** Parts of shapes, put together with their names kept in the types. */
import type { z } from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The one field under this name. */
export function named<N extends string, S extends z.ZodType>(name: N, schema: S): { [F in N]: S } {
  return asShape({ [name]: schema });
}

/** Those fields of a shape that are among the names. */
export function only<S extends Shape, N extends readonly string[]>(
  shape: S,
  names: N,
): { [F in Extract<N[number], keyof S>]: S[F] } {
  return asShape(Object.fromEntries(Object.entries(shape).filter(([name]) => names.includes(name))));
}

/** The fields, each optional. */
export function partial<S extends Shape>(shape: S): { [F in keyof S]: z.ZodOptional<S[F]> } {
  return asShape(
    Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.optional()])),
  );
}

/** The names were walked, so each is there; the compiler cannot follow that through entries. */
function asShape<T>(shape: Record<string, unknown>): T {
  return shape as T;
}
