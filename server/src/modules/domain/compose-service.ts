import { badField } from '../../domain/errors.ts';
import type { DomainRecord } from '../../db/tables.ts';
import { servicesOf } from '../compose/compose.ts';
import type { DomainStore } from './store.ts';

/**
 * BAD_REQUEST when a domain leads to a service that its compose file lacks. Of a file in a repository it is
 * known only when it is deployed.
 */
export async function checkComposeService(
  store: Pick<DomainStore, 'composeFile'>,
  { composeId, serviceName }: Pick<DomainRecord, 'composeId' | 'serviceName'>,
): Promise<void> {
  if (composeId === null || serviceName === null) return;
  const compose = await store.composeFile(composeId);
  if (compose === undefined || compose.composeFile === '') return;
  const names = await servicesOf(compose, compose.composeFile);
  if (names.includes(serviceName)) return;
  throw badField(
    'serviceName',
    `is not a service of the file of ${compose.name}, which has: ${names.join(', ')}`,
  );
}
