import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Certificates } from './certificate.ts';
import type { certificateContract } from './contract.ts';

/** `requireServer` refuses, in a cloud installation, what names no server. */
export function certificateHandlers(certificates: Certificates, requireServer: (serverId: string | null | undefined) => Promise<void>): Handlers<typeof certificateContract, CallContext> {
  return {
    async create({ actor, write }, input) {
      await requireServer(input.serverId);
      return write(() => certificates.create(actor.organizationId, input));
    },
    one: ({ actor }, { certificateId }) => certificates.one(certificateId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(await certificates.all(actor.organizationId), input, ({ certificateId }) => certificateId);
    },
    remove: ({ actor, write }, { certificateId }) => write(() => certificates.remove(certificateId, actor.organizationId)),
  };
}
