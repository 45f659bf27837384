/** One of everything that an organization can have, as rows of the tables. */
import type { Estate, Rows } from './estate.ts';
import { attachmentRows } from './estate-attachments.ts';
import { organizationRows } from './estate-organization.ts';
import { placeRows } from './estate-places.ts';
import { serviceRows } from './estate-services.ts';
import { createdAt } from './estate-times.ts';

/**
 * `number` is different for every estate of an installation: published ports and the like are made from it.
 */
export function rowsOfEstate(estate: Estate, number: number): Rows {
  const own = { organizationId: estate.organizationId, createdAt };
  return {
    ...placeRows(estate, own),
    ...serviceRows(estate, own, number),
    ...attachmentRows(estate, own, number),
    ...organizationRows(estate, own),
  };
}
