import type { Answer } from '../live/api.ts';

export type Domain = Answer<'domain.byApplicationId'>[number];

/** Where a browser reaches a domain. */
export function urlOf({ https, host, path }: Pick<Domain, 'https' | 'host' | 'path'>): string {
  return `${https ? 'https' : 'http'}://${host}${path === '/' ? '' : path}`;
}
