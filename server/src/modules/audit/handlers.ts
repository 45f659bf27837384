import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Audit } from './audit.ts';
import type { auditContract } from './contract.ts';

export function auditHandlers(audit: Audit): Handlers<typeof auditContract, CallContext> {
  return {
    all({ actor: { organizationId } }, { limit, cursor, since, ...filter }) {
      // As the log keeps times: in UTC with milliseconds, so that text compares like time.
      const asked = { ...filter, since: since === undefined ? undefined : new Date(since).toISOString() };
      return limit === undefined
        ? audit.all(organizationId, asked)
        : audit.page(organizationId, asked, { limit, cursor });
    },
  };
}
