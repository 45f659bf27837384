import type { KeyPairs } from '../../ports/host/key-pairs.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { sshKeyContract } from './contract.ts';
import type { SshKeys } from './ssh-key.ts';

export function sshKeyHandlers(
  sshKeys: SshKeys,
  keyPairs: KeyPairs,
): Handlers<typeof sshKeyContract, CallContext> {
  return {
    create: async ({ actor, write }, input) => {
      const pair = await keyPairs.parse(input.privateKey, input.publicKey);
      return write(() => sshKeys.create(actor.organizationId, input, pair));
    },
    async generate({ actor, write }, input) {
      const pair = await keyPairs.generate(input.type, 'berth');
      return write(() => sshKeys.create(actor.organizationId, input, pair));
    },
    async makePair(_context, { type }) {
      const { publicKey, privateKey } = await keyPairs.generate(type, 'berth');
      return { publicKey, privateKey: privateKey.reveal() };
    },
    one: ({ actor }, { sshKeyId }) => sshKeys.one(sshKeyId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(await sshKeys.all(actor.organizationId), input, ({ sshKeyId }) => sshKeyId);
    },
    update: ({ actor, write }, { sshKeyId, ...patch }) =>
      write(() => sshKeys.update(sshKeyId, actor.organizationId, patch)),
    remove: ({ actor, write }, { sshKeyId }) => write(() => sshKeys.remove(sshKeyId, actor.organizationId)),
  };
}
