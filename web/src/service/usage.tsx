/** What a service uses; nothing where the server does not measure. */
import type { ReactElement } from 'react';
import type { Service } from './service.ts';

export function Usage(_props: { service: Service }): ReactElement | null {
  return null;
}
