/** The database that a word was given. */
import { UsageError } from '../../usage-error.ts';
import type { Context } from './context.ts';
import type { DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { isDatabase, nameOf, serviceOf, type Service } from './services.ts';

export type Database = Service & { kind: DatabaseKindName };

export async function databaseOf(context: Context): Promise<Database> {
  const service = await serviceOf(context, context.args[0]);
  if (!isDatabase(service))
    throw new UsageError(
      `${nameOf(service)} is ${service.kind === 'compose' ? 'a compose service' : 'an application'} and ` +
        'not a database.',
    );
  return service;
}
