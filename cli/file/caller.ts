/** Calls of procedures by their names: what is planned from a table is called from one. */
import { call, type Connection } from '../../client/call.ts';
import { procedureKinds } from '../../client/procedure-kinds.ts';
import { fieldsOf } from '../connection/config.ts';
import { waiting } from '../words/parts/database-calls.ts';

/** Gives the answer; throws BerthError. */
export type Caller = (path: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

export function callerOf(connection: Connection, signal: AbortSignal): Caller {
  return (path, input) => {
    const [router = '', name = ''] = path.split('.');
    const kind = fieldsOf(fieldsOf(procedureKinds)[router])[name] === 'query' ? 'query' : 'mutation';
    return call(connection, { path, kind, input }, { ...waiting, signal });
  };
}
