import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Cleaning } from './cleanup.ts';
import type { cleanupContract } from './contract.ts';
import type { FormerVolumes } from './former-volumes.ts';
import type { KeptVolumes } from './kept-volumes.ts';
import type { UnknownThings } from './unknown-things.ts';
import type { UnfinishedDeletions } from '../unfinished-deletion/unfinished-deletion.ts';

const keyOf = ({ serverId }: { serverId?: string | null | undefined }): string =>
  serverKeyOf({ serverId: serverId ?? null });

export function cleanupHandlers({
  cleaning,
  formerVolumes,
  keptVolumes,
  unknownThings,
  unfinished,
}: {
  cleaning: Cleaning;
  unknownThings: UnknownThings;
  unfinished: Pick<UnfinishedDeletions, 'all'>;
  formerVolumes: FormerVolumes;
  keptVolumes: KeptVolumes;
}): Handlers<typeof cleanupContract, CallContext> {
  return {
    preview: (_context, { caches, ...input }) => cleaning.preview(keyOf(input), { caches }),
    async run({ write }, { caches, ...input }) {
      const removed = await cleaning.run(keyOf(input), { caches });
      return write(async () => removed);
    },
    async others(_context, input) {
      const found = await unknownThings.others(keyOf(input));
      return paginate(found, input, ({ kind, name }) => `${kind} ${name}`);
    },
    async unknown(_context, page) {
      const found = (await unknownThings.unknown()).map(({ serverKey, name, owner, seenAt, removedAt }) => ({
        serverKey,
        name,
        owner,
        seenAt,
        removedAt,
      }));
      return paginate(found, page, ({ serverKey, name }) => `${serverKey} ${name}`);
    },
    async removeUnknown({ write }, { name, ...input }) {
      await unknownThings.remove(keyOf(input), name);
      return write(async () => true);
    },
    async unfinished({ actor }, page) {
      const found = await unfinished.all(actor.organizationId);
      return paginate(found, page, ({ serviceId }) => serviceId);
    },
    giveUp: ({ write }, { incarnationId }) =>
      write(async () => {
        await unknownThings.giveUp(incarnationId);
        return true;
      }),
    async keptVolumes({ actor }, input) {
      const found = await keptVolumes.all(actor.organizationId, keyOf(input));
      return paginate(found, input, ({ volumeName }) => volumeName);
    },
    async removeKeptVolume({ actor, write }, { volumeName, ...input }) {
      await keptVolumes.remove(actor.organizationId, keyOf(input), volumeName);
      return write(async () => true as const);
    },
    async formerVolumes({ actor }, page) {
      const found = await formerVolumes.all(actor.organizationId);
      return paginate(found, page, ({ volumeName }) => volumeName);
    },
  };
}
