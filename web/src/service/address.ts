import { urlOf } from '../domain/domain.ts';
import type { Service } from './service.ts';

/** Where a service answers from outside: its first domain. */
export function addressOf({ domains }: Service): string | undefined {
  const [first] = domains.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
  return first && urlOf(first);
}
