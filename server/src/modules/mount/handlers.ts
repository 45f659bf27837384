import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import { ownerOf, type mountContract } from './contract.ts';
import type { Mounts } from './mount.ts';

export function mountHandlers(mounts: Mounts): Handlers<typeof mountContract, CallContext> {
  return {
    create: (
      { actor, write },
      { type, mountPath, hostPath, volumeName, filePath, content, isSecret, beginEmpty, ...owner },
    ) => {
      const draft = {
        type,
        mountPath,
        hostPath: hostPath ?? null,
        volumeName: volumeName ?? null,
        filePath: filePath ?? null,
        content: content ?? null,
        isSecret,
      };
      return write(() => mounts.create(actor, ownerOf(owner), draft, beginEmpty));
    },
    one: ({ actor }, { mountId }) => mounts.one(mountId, actor.organizationId),
    async byApplicationId({ actor }, input) {
      return paginate(
        await mounts.byApplication(input.applicationId, actor.organizationId),
        input,
        ({ mountId }) => mountId,
      );
    },
    async byComposeId({ actor }, input) {
      return paginate(
        await mounts.byCompose(input.composeId, actor.organizationId),
        input,
        ({ mountId }) => mountId,
      );
    },
    update: ({ actor, write }, { mountId, beginEmpty, ...patch }) =>
      write(() => mounts.update(mountId, actor, patch, beginEmpty)),
    remove: ({ actor, write }, { mountId }) => write(() => mounts.remove(mountId, actor.organizationId)),
  };
}
