import type { Contract, Procedure } from './procedure.ts';

/** A procedure with its name: what the OpenAPI document, the reference pages and the CLI walk over. */
export interface NamedProcedure {
  /** `router.procedure`. */
  path: string;
  router: string;
  procedure: Procedure;
}

/** Every procedure of these contracts, in the order they are written. */
export function listProcedures(contracts: Readonly<Record<string, Contract>>): NamedProcedure[] {
  return Object.entries(contracts).flatMap(([router, contract]) => Object.entries(contract).map(([name, procedure]) => ({ path: `${router}.${name}`, router, procedure })));
}
