import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Audit } from './audit.ts';
import type { auditContract } from './contract.ts';

export function auditHandlers(audit: Audit): Handlers<typeof auditContract, CallContext> {
  return {
    all: ({ actor: { organizationId } }, { limit, cursor }) => (limit === undefined ? audit.all(organizationId) : audit.page(organizationId, limit, cursor)),
  };
}
