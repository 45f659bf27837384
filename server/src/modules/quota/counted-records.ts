/** How many records of each kind an organization may have: projects, domains, mounts, keys and the like. */
import { AppError } from '../../domain/errors.ts';
import { countedRecords, type QuotaStore, type RecordCounts } from './store.ts';

/** Records of each kind that an organization may have unless its quota names another number. */
export const usualRecords = 2000;

/**
 * Counts the records again after the change where it could have made too many: a change at most copies what
 * there is, beside a few records of its own.
 */
export async function withinRecords<T>(
  store: Pick<QuotaStore, 'bounds' | 'family' | 'hold'>,
  {
    organizationId,
    limit,
    records: before,
  }: { organizationId: string; limit: number | null; records: RecordCounts },
  work: () => Promise<T>,
): Promise<T> {
  const most = limit ?? usualRecords;
  if (Math.max(...Object.values(before)) * 2 + recordsOfOneChange <= most) return work();
  await store.hold((await store.family(organizationId))[0] ?? organizationId);
  const value = await work();
  const { records: after } = await store.bounds(organizationId);
  for (const [kind, name] of entriesOf(countedRecords))
    if (after[kind] > most && after[kind] > before[kind])
      throw tooMany(
        { limit: most, name, present: before[kind], wanted: after[kind] },
        await store.family(organizationId),
      );
  return value;
}

/** More than any change makes that copies nothing: a template, a file of `berth.yml`. */
const recordsOfOneChange = 500;

function tooMany(
  { limit, name, present, wanted }: { limit: number; name: string; present: number; wanted: number },
  family: readonly string[],
): AppError {
  const [whose, has] = holderOf(family);
  return new AppError(
    'CONFLICT',
    `${whose} may have ${limit} ${name}; ${has} ${present}, and this would make it ${wanted}. Remove some ` +
      "that are no longer needed, or ask the installation's Owner for more (organization.setQuota, " +
      '`records`).',
  );
}

const entriesOf = <K extends string, V>(row: Readonly<Record<K, V>>): [K, V][] =>
  Object.entries(row) as [K, V][];

/** Who has a quota, and the verb that follows, as the sentences of refusals begin. */
export function holderOf(family: readonly string[]): [string, string] {
  return family.length > 1
    ? [`The ${family.length} organizations that share this quota`, 'they have']
    : ['This organization', 'it has'];
}
