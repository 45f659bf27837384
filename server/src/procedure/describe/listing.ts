import { secretsAction } from '../../domain/access/permissions.ts';
import { hostReachAction } from '../host-reach.ts';
import { actionOf, needsHostReach, type Contract, type Procedure } from '../procedure.ts';
import { hasSecrets } from '../secret-fields.ts';

/** A procedure with its name: what the OpenAPI document, the reference pages and the CLI walk over. */
export interface NamedProcedure {
  /** `router.procedure`. */
  path: string;
  router: string;
  procedure: Procedure;
}

/** Every procedure of these contracts, in the order they are written. */
export function listProcedures(contracts: Readonly<Record<string, Contract>>): NamedProcedure[] {
  return Object.entries(contracts).flatMap(([router, contract]) =>
    Object.entries(contract).map(([name, procedure]) => ({ path: `${router}.${name}`, router, procedure })),
  );
}

/** What a key can be narrowed to: the actions of each router. */
export function keyScopes(contracts: Readonly<Record<string, Contract>>): Map<string, Set<string>> {
  return new Map(
    Object.entries(contracts).map(([router, contract]) => [
      router,
      new Set([
        ...Object.values(contract).map(actionOf),
        ...(Object.values(contract).some(needsHostReach) ? [hostReachAction] : []),
        ...(Object.values(contract).some(hasSecrets) ? [secretsAction] : []),
      ]),
    ]),
  );
}
