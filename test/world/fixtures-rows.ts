/** One of everything that an organization can have, as rows of the tables. */
import type { Fixtures, Rows } from './fixtures.ts';
import { attachmentRows } from './fixtures-attachments.ts';
import { organizationRows } from './fixtures-organization.ts';
import { placeRows } from './fixtures-places.ts';
import { serviceRows } from './fixtures-services.ts';
import { createdAt, type Own } from './fixtures-times.ts';

/**
 * `number` differs for every set of an installation: published ports and the like are made from it.
 */
export function rowsOfFixtures(fixtures: Fixtures, number: number): Rows {
  return {
    ...rowsOfFurther(fixtures, number),
    ...organizationRows(fixtures, ownOf(fixtures)),
  };
}

/** Of a set in the organization of another one, which has the rest. */
export function rowsOfFurther(fixtures: Fixtures, number: number): Rows {
  const own = ownOf(fixtures);
  return {
    ...placeRows(fixtures, own),
    ...serviceRows(fixtures, own, number),
    ...attachmentRows(fixtures, own, number),
  };
}

const ownOf = ({ organizationId }: Fixtures): Own => ({ organizationId, createdAt });
