import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Audit } from './audit.ts';
import type { auditContract } from './contract.ts';

export function auditHandlers(audit: Audit): Handlers<typeof auditContract, CallContext> {
  return {
    all({ actor: { organizationId } }, { limit, cursor, since, ...filter }) {
      // Times in the log are UTC with milliseconds, so that they compare as text.
      const asked = { ...filter, since: since === undefined ? undefined : new Date(since).toISOString() };
      return limit === undefined
        ? audit.all(organizationId, asked)
        : audit.page(organizationId, asked, { limit, cursor });
    },
  };
}
