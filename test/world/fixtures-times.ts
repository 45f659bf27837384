/** When the rows of the fixtures came to be, and whose they are. */
export const createdAt = '2026-06-01T00:00:00.000Z';
/** Of the things that come in pairs, the one that is newer. */
export const later = '2026-06-02T00:00:00.000Z';

/** What nearly every row has. */
export interface Own {
  organizationId: string;
  createdAt: string;
}
