/** What a monitoring system reads. */
import { z } from 'zod';
import { query } from '../../procedure/procedure.ts';

export const metricsContract = {
  prometheus: query({
    summary: 'The state of the installation in the text format of Prometheus',
    description:
      'GET /metrics answers the text itself. For a scraper make a key whose permissions are ' +
      '{"metrics": ["read"]}: it reads nothing else. Services of every organization are in it, so it is ' +
      "for Owner and Admin of the installation's organization.",
    access: { class: 'installation', resources: [] },
    input: z.object({}),
    output: z.object({ text: z.string() }),
  }),
};
