/** Image registries of an organization (decisions 12). */
import { giveAnother, refuseWhileUsed } from '../../domain/text/used.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Outgoing } from '../../ports/outgoing.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import { parseImagePrefix, parseRegistryAddress, serverOf } from './address.ts';
import type { RegistryRecord, RegistryStore } from './store.ts';

/** A registry without its password. */
export type PublicRegistry = Omit<RegistryRecord, 'password'>;

export interface RegistrySignIn {
  registryUrl: string;
  username: string;
  password: string;
}

export type RegistryPatch = {
  [K in 'name' | 'registryUrl' | 'username' | 'password']?: string | undefined;
} & { imagePrefix?: string | null | undefined };

/** What a build needs to push and a service to pull. */
export interface RegistryAccess {
  auth: RegistryAuth;
  /**
   * `host[:port]/prefix/…/` that stands before an image's name, with its slash; empty for the default
   * registry without prefix.
   */
  repository: string;
}

export interface Registries {
  create(
    organizationId: string,
    input: RegistrySignIn & { name: string; imagePrefix?: string | null | undefined },
  ): Promise<PublicRegistry>;
  /**
   * Signs in through the engine; BAD_REQUEST with the registry's own words, SERVICE_UNAVAILABLE when the
   * engine does not answer.
   */
  test(signIn: RegistrySignIn, organizationId: string): Promise<void>;
  testStored(registryId: string, organizationId: string): Promise<void>;
  one(registryId: string, organizationId: string): Promise<PublicRegistry>;
  /** Newest first. */
  all(organizationId: string): Promise<PublicRegistry[]>;
  /** BAD_REQUEST for another address without its password: the stored one was given for the former. */
  update(registryId: string, organizationId: string, patch: RegistryPatch): Promise<PublicRegistry>;
  /** PRECONDITION_FAILED while applications use it. */
  remove(registryId: string, organizationId: string): Promise<PublicRegistry>;
  access(registryId: string, organizationId: string): Promise<RegistryAccess>;
  /** What a release says of the registry that its image is pushed to; null without one. */
  facts(of: {
    registryId: string | null;
    organizationId: string;
  }): Promise<{ repository: string; username: string } | null>;
}

export function createRegistries(
  store: RegistryStore,
  checkRegistry: Engine['checkRegistry'],
  reach: Outgoing['registry'],
  clock: Clock,
): Registries {
  const check = (signIn: RegistrySignIn, organizationId: string): Promise<void> => {
    const auth = authOf(signIn);
    return reach(auth.serverAddress, { organizationId }, () => checkRegistry(auth));
  };
  return {
    async create(organizationId, { name, registryUrl, username, password, imagePrefix }) {
      const shown = {
        registryId: randomId(),
        organizationId,
        name,
        registryUrl: parseRegistryAddress(registryUrl),
        username,
        imagePrefix: parseImagePrefix(imagePrefix ?? ''),
        createdAt: isoTime(clock),
      };
      await store.insert({ ...shown, password });
      return shown;
    },
    test: (signIn, organizationId) =>
      check({ ...signIn, registryUrl: parseRegistryAddress(signIn.registryUrl) }, organizationId),
    testStored: async (registryId, organizationId) =>
      check(await found(store, registryId, organizationId), organizationId),
    one: async (registryId, organizationId) =>
      withoutPassword(await found(store, registryId, organizationId)),
    all: async (organizationId) =>
      (await store.list({ organizationId }, { by: ['createdAt', 'registryId'], direction: 'desc' })).map(
        withoutPassword,
      ),
    async update(registryId, organizationId, patch) {
      const changed = patched(await found(store, registryId, organizationId), patch);
      await store.update({ registryId, organizationId }, changed);
      return withoutPassword(changed);
    },
    async remove(registryId, organizationId) {
      const record = await found(store, registryId, organizationId);
      refuseWhileUsed(
        `The registry ${record.name}`,
        { application: await store.countUses(registryId) },
        giveAnother,
      );
      await store.remove({ registryId, organizationId });
      return withoutPassword(record);
    },
    access: async (registryId, organizationId) => accessOf(await found(store, registryId, organizationId)),
    async facts({ registryId, organizationId }) {
      if (registryId === null) return null;
      const { auth, repository } = accessOf(await found(store, registryId, organizationId));
      return { repository, username: auth.username };
    },
  };
}

async function found(
  store: RegistryStore,
  registryId: string,
  organizationId: string,
): Promise<RegistryRecord> {
  const record = await store.find({ registryId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such registry. It may have been removed.');
  return record;
}

function accessOf(record: RegistryRecord): { auth: RegistryAuth; repository: string } {
  const parts = [record.registryUrl, record.imagePrefix].filter((part) => part !== '');
  return { auth: authOf(record), repository: parts.map((part) => `${part}/`).join('') };
}

/** The record as it will be. */
function patched(present: RegistryRecord, patch: RegistryPatch): RegistryRecord {
  const registryUrl =
    patch.registryUrl === undefined ? present.registryUrl : parseRegistryAddress(patch.registryUrl);
  if (registryUrl !== present.registryUrl && patch.password === undefined)
    throw badField(
      'password',
      'is required with another registryUrl: the stored one was given for ' +
        `${shownUrl(present.registryUrl)}, not for ${shownUrl(registryUrl)}`,
    );
  return {
    ...present,
    name: patch.name ?? present.name,
    registryUrl,
    username: patch.username ?? present.username,
    password: patch.password ?? present.password,
    imagePrefix:
      patch.imagePrefix === undefined ? present.imagePrefix : parseImagePrefix(patch.imagePrefix ?? ''),
  };
}

const shownUrl = (registryUrl: string): string => registryUrl || 'the default registry';

function authOf({ registryUrl, username, password }: RegistrySignIn): RegistryAuth {
  return { username, password: new Secret(password), serverAddress: serverOf(registryUrl) };
}

function withoutPassword({ password: _secret, ...shown }: RegistryRecord): PublicRegistry {
  return shown;
}
