import type { Service } from './service.ts';

/** Where a service answers from outside: its first domain. */
export function addressOf({ domains }: Service): string | undefined {
  const [first] = domains.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
  if (!first) return undefined;
  const { https, host, path } = first;
  return `${https ? 'https' : 'http'}://${host}${path === '/' ? '' : path}`;
}
