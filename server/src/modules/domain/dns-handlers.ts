/** The procedures that set DNS records of a domain, or of a base domain's wildcard. */
import { badField } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { parseBaseDomain } from '../../domain/routing/base-domain.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { DnsRecords, RecordWish } from '../dns-record/dns-record.ts';
import type { domainContract } from './contract.ts';
import type { Domains } from './domain.ts';

type RecordHandlers = Pick<Handlers<typeof domainContract, CallContext>, 'planRecords' | 'applyRecords'>;

/** A base domain is refused while its record is missing, so the record comes first. */
const dayMs = 24 * 3_600_000;

export function recordHandlers(
  domains: Pick<Domains, 'one'>,
  dnsRecords: Pick<DnsRecords, 'plan' | 'apply'>,
): RecordHandlers {
  async function wishOf(
    organizationId: string,
    input: {
      domainId?: string | undefined;
      baseDomain?: string | undefined;
      serverId?: string | null | undefined;
      remove: boolean;
    },
  ): Promise<RecordWish> {
    const { domainId, baseDomain, serverId = null, remove: isRemoval } = input;
    if (domainId !== undefined) {
      if (baseDomain !== undefined)
        throw badField('baseDomain', 'does not go with domainId; give one of them');
      // Its service stands on a server already, whatever serverId says.
      const { asciiHost: name, serverKey } = await domains.one(domainId, organizationId);
      return { organizationId, name, serverKey, isRemoval, keepMs: 0 };
    }
    if (baseDomain === undefined) throw badField('domainId', 'is required unless baseDomain is given');
    const name = `*.${parseBaseDomain(baseDomain)}`;
    return { organizationId, name, serverKey: serverKeyOf({ serverId }), isRemoval, keepMs: dayMs };
  }
  return {
    planRecords: async ({ actor }, input) => dnsRecords.plan(await wishOf(actor.organizationId, input)),
    async applyRecords({ actor, write }, { digest, ...input }) {
      const wish = await wishOf(actor.organizationId, input);
      return dnsRecords.apply(wish, digest, (work) => write(work));
    },
  };
}
