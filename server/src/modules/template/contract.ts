/** Compose files of well-known applications, each of which can become a compose service. */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { query } from '../../procedure/procedure.ts';
import { templateName, templateRecord, wholeTemplate } from './record.ts';

export const templateContract = {
  all: query({
    summary: 'The templates of this version of Berth, by name',
    access: { class: 'protected', resources: [] },
    input: z.object(pageInput),
    output: listOf(templateRecord),
  }),
  one: query({
    summary: 'One template with its compose file and variables',
    description:
      'Give file as composeFile to compose.create and the variables to compose.saveEnvironment, each ' +
      'with its value or one made as generate says; then a domain that leads to service and port.',
    access: { class: 'protected', resources: [] },
    input: z.object({ name: templateName }),
    example: { name: 'uptime-kuma' },
    output: wholeTemplate,
    refusals: ['NOT_FOUND'],
  }),
};
