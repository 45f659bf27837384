import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Certificates } from './certificate.ts';
import type { certificateContract } from './contract.ts';

export interface CertificateDesk {
  /** Refuses, in a cloud installation, what names no server. */
  requireServer(serverId: string | null | undefined): Promise<void>;
  changeRoutes: ChangeRoutes;
  /** Ends the renewal of a certificate that is removed. */
  forgetOrder(certificateId: string, organizationId: string): Promise<void>;
}

/** A certificate is a record first: a proxy that is away gets it when it is back. */
const whenItCan = { mayWait: true };

export function certificateHandlers(
  certificates: Certificates,
  { requireServer, changeRoutes, forgetOrder }: CertificateDesk,
): Handlers<typeof certificateContract, CallContext> {
  return {
    async create({ actor, write }, input) {
      await requireServer(input.serverId);
      return changeRoutes(
        serverKeyOf(input),
        write,
        () => certificates.create(actor.organizationId, input),
        whenItCan,
      );
    },
    one: ({ actor }, { certificateId }) => certificates.one(certificateId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(
        await certificates.all(actor.organizationId),
        input,
        ({ certificateId }) => certificateId,
      );
    },
    async remove({ actor, write }, { certificateId }) {
      const present = await certificates.one(certificateId, actor.organizationId);
      return changeRoutes(
        serverKeyOf(present),
        write,
        async () => {
          await forgetOrder(certificateId, actor.organizationId);
          return certificates.remove(certificateId, actor.organizationId);
        },
        whenItCan,
      );
    },
  };
}
