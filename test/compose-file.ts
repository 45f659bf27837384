/** Compose files with one service, and how they are read. */
import type { ComposePlan } from '../server/src/modules/compose/translation/plan.ts';
import { translate } from '../server/src/modules/compose/translation/translate.ts';

export const blocks = { project: 'TEAM=blue', environment: 'REGION=north', service: 'VERSION=2\nEMPTY=' };

/** A compose file as it is deployed, with some variables. */
export function read(text: string, folder?: string): ComposePlan {
  return translate({ text, field: 'composeFile', folder, variables: { VERSION: '2', EMPTY: '' }, blocks });
}

/** A file with one service that has these fields. */
export const web = (fields: string, rest = ''): string =>
  `services:\n  web:\n    image: nginx:1\n${fields
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n${rest}`;
