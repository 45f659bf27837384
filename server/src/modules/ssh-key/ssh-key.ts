/** SSH keys of an organization (decisions 12). */
import { refuseWhileUsed } from '../../domain/text/used.ts';
import { AppError } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { KeyPair } from '../../ports/host/key-pairs.ts';
import type { SshKeyRecord, SshKeyStore } from './store.ts';

/** A key without its private part. */
export type PublicSshKey = Omit<SshKeyRecord, 'privateKey'>;

export interface SshKeys {
  create(
    organizationId: string,
    input: { name: string; description?: string | null | undefined },
    pair: KeyPair,
  ): Promise<PublicSshKey>;
  one(sshKeyId: string, organizationId: string): Promise<PublicSshKey>;
  /** Newest first. */
  all(organizationId: string): Promise<PublicSshKey[]>;
  update(
    sshKeyId: string,
    organizationId: string,
    patch: { name?: string | undefined; description?: string | null | undefined },
  ): Promise<PublicSshKey>;
  /** PRECONDITION_FAILED while something uses it. */
  remove(sshKeyId: string, organizationId: string): Promise<PublicSshKey>;
  /** The private key, for the program that signs in with it. */
  privateKey(sshKeyId: string, organizationId: string): Promise<Secret>;
}

export function createSshKeys(store: SshKeyStore, clock: Clock): SshKeys {
  async function found(sshKeyId: string, organizationId: string): Promise<SshKeyRecord> {
    const record = await store.find({ sshKeyId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such SSH key. It may have been removed.');
    return record;
  }

  return {
    async create(organizationId, { name, description }, { privateKey, publicKey, fingerprint }) {
      const shown = {
        sshKeyId: randomId(),
        organizationId,
        name,
        description: description ?? '',
        publicKey,
        fingerprint,
        createdAt: isoTime(clock),
      };
      await store.insert({ ...shown, privateKey: privateKey.reveal() });
      return shown;
    },
    one: async (sshKeyId, organizationId) => withoutPrivate(await found(sshKeyId, organizationId)),
    all: async (organizationId) =>
      (await store.list({ organizationId }, { by: ['createdAt', 'sshKeyId'], direction: 'desc' })).map(
        withoutPrivate,
      ),
    async update(sshKeyId, organizationId, { name, description }) {
      const present = await found(sshKeyId, organizationId);
      const changed = {
        ...present,
        name: name ?? present.name,
        description: description === undefined ? present.description : (description ?? ''),
      };
      await store.update(
        { sshKeyId, organizationId },
        { name: changed.name, description: changed.description },
      );
      return withoutPrivate(changed);
    },
    async remove(sshKeyId, organizationId) {
      const record = await found(sshKeyId, organizationId);
      refuseWhileUsed(
        `The SSH key ${record.name}`,
        await store.uses(sshKeyId),
        () => 'Give each of them another key first.',
      );
      await store.remove({ sshKeyId, organizationId });
      return withoutPrivate(record);
    },
    privateKey: async (sshKeyId, organizationId) =>
      new Secret((await found(sshKeyId, organizationId)).privateKey),
  };
}

function withoutPrivate({ privateKey: _secret, ...shown }: SshKeyRecord): PublicSshKey {
  return shown;
}

/** The private key of a repository's source; NOT_FOUND when the key is gone. */
export function privateKeyOf(
  store: Pick<SshKeyStore, 'find'>,
): (sshKeyId: string, organizationId: string) => Promise<string> {
  return async (sshKeyId, organizationId) => {
    const key = await store.find({ sshKeyId, organizationId });
    if (!key)
      throw new AppError(
        'NOT_FOUND',
        'The SSH key of this application no longer exists. Choose another one with ' +
          'application.saveGitProvider.',
      );
    return key.privateKey;
  };
}
