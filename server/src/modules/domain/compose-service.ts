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
  const { composeFile: text } = compose;
  const names = await servicesOf(compose, { text, folder: '', files: new Map() });
  if (names.includes(serviceName) || (await includesOthers(text))) return;
  throw badField(
    'serviceName',
    `is not a service of the file of ${compose.name}, which has: ${names.join(', ')}`,
  );
}

/** Whether services of other files come in, which are known when it is deployed. */
async function includesOthers(text: string): Promise<boolean> {
  const { parseComposeFile } = await import('../compose/compose-file.ts');
  return parseComposeFile(text, 'composeFile').top.has('include');
}
