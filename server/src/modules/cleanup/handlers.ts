import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Cleaning } from './cleanup.ts';
import type { cleanupContract } from './contract.ts';
import type { FormerVolumes } from './former-volumes.ts';

const keyOf = ({ serverId }: { serverId?: string | null | undefined }): string =>
  serverKeyOf({ serverId: serverId ?? null });

export function cleanupHandlers({
  cleaning,
  formerVolumes,
}: {
  cleaning: Cleaning;
  formerVolumes: FormerVolumes;
}): Handlers<typeof cleanupContract, CallContext> {
  return {
    preview: (_context, { caches, ...input }) => cleaning.preview(keyOf(input), { caches }),
    async run({ write }, { caches, ...input }) {
      const removed = await cleaning.run(keyOf(input), { caches });
      return write(async () => removed);
    },
    async formerVolumes({ actor }, page) {
      const found = await formerVolumes.all(actor.organizationId);
      return paginate(found, page, ({ volumeName }) => volumeName);
    },
  };
}
