/** All routers of the program: contract and handlers side by side, looked up by `router.procedure`. */
import type { CallContext } from './context.ts';
import type { Contract, Handlers, Procedure, StreamEvent, UploadedFile } from './procedure.ts';

/** A procedure with its handler, types erased; only the guard calls it, with an input that it parsed. */
export interface RegisteredProcedure {
  /** `router.procedure`. */
  path: string;
  router: string;
  procedure: Procedure;
  call(context: CallContext, input: unknown, file?: UploadedFile): Promise<unknown>;
  stream(context: CallContext, input: unknown): AsyncIterable<StreamEvent<unknown>>;
}

export type Registry = ReadonlyMap<string, RegisteredProcedure>;

export interface Router {
  name: string;
  contract: Contract;
  handlers: Readonly<Record<string, unknown>>;
}

/** Joins a contract with its handlers; the types make sure that none is missing. */
export function router<C extends Contract>(
  name: string,
  contract: C,
  handlers: Handlers<C, CallContext>,
): Router {
  return { name, contract, handlers };
}

export function createRegistry(routers: readonly Router[]): Registry {
  const registry = new Map<string, RegisteredProcedure>();
  for (const { name, contract, handlers } of routers) {
    for (const [key, procedure] of Object.entries(contract)) {
      const handler = asHandler(handlers[key]);
      registry.set(`${name}.${key}`, {
        path: `${name}.${key}`,
        router: name,
        procedure,
        call: handler.call,
        stream: handler.stream,
      });
    }
  }
  return registry;
}

interface ErasedHandler {
  call: RegisteredProcedure['call'];
  stream: RegisteredProcedure['stream'];
}

/**
 * `router()` checked the handler's type against its contract; here the type is erased so that all can stand
 * in one map.
 */
function asHandler(handler: unknown): ErasedHandler {
  return { call: handler as ErasedHandler['call'], stream: handler as ErasedHandler['stream'] };
}
