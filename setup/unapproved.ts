/** What reached the machine before approvals were kept, told once: at the upgrade that brought them. */
import { z } from 'zod';
import type { UnapprovedService } from '../server/src/domain/access/unapproved-services.ts';
import type { SetupContext } from './context.ts';
import { readRecord, removeRecord } from './record.ts';

const unapprovedServices: z.ZodType<UnapprovedService[]> = z.array(
  z.object({ kind: z.string(), appName: z.string(), organizationId: z.string(), reaches: z.string() }),
);

export function tellUnapproved({ layout, say }: Pick<SetupContext, 'layout' | 'say'>): void {
  const services = readRecord(layout.unapproved, unapprovedServices) ?? [];
  if (services.length === 0) return;
  say(
    'these services reach this machine without an approval. They keep running; their next deployment is ' +
      "refused until an Owner or Admin of the installation's organization has approved them " +
      '(docs/guide/host-reach.md):',
  );
  for (const { appName, kind, organizationId, reaches } of services)
    say(`- ${kind} ${appName} of the organization ${organizationId}: ${reaches.replaceAll(/\p{Cc}/gu, ' ')}`);
  removeRecord(layout.unapproved);
}
