/** Destinations of backups as records; what is stored there is the backups' business. */
import { giveAnother, refuseWhileUsed } from '../../domain/text/used.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { destinationPlaces, type PlaceEffects } from './destination-place.ts';
import type { DestinationDraft } from './destination-rules.ts';
import type { DestinationRecord, DestinationStore } from './store.ts';
import type { KeyPair } from '../../domain/secrets/age.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { heldKeys, identitiesOf } from '../../domain/secrets/age-identities.ts';
import { nextKeys, withNewKey, type KeysInput } from './destination-keys.ts';
import { limitedBytes } from '../../domain/text/limited-bytes.ts';

/** A destination without its keys. */
export type PublicDestination = Omit<DestinationRecord, 'accessKey' | 'secretAccessKey' | 'identities'> & {
  heldKeys: string[];
};

/** Settings as they come in; null where a person clears one. */
export type DestinationInput = { [K in keyof DestinationDraft]?: DestinationDraft[K] | null | undefined };
type WholeInput = DestinationInput & KeysInput;

export interface DestinationEffects extends PlaceEffects {
  clock: Clock;
}

export interface Destinations {
  create(
    organizationId: string,
    input: WholeInput & { name: string; provider: DestinationDraft['provider'] },
  ): Promise<PublicDestination>;
  one(destinationId: string, organizationId: string): Promise<PublicDestination>;
  /** Newest first. */
  all(organizationId: string): Promise<PublicDestination[]>;
  update(
    destinationId: string,
    organizationId: string,
    input: WholeInput & { name?: string | undefined },
  ): Promise<PublicDestination>;
  /** PRECONDITION_FAILED while backups use it. */
  remove(destinationId: string, organizationId: string): Promise<PublicDestination>;
  /** Makes a key pair: later backups are encrypted for it as well. The private key is given only here. */
  makeKey(destinationId: string, organizationId: string): Promise<MadeKey>;
  /**
   * The destination a test would reach: a stored one with these changes, or a new one. Refuses what creating
   * or changing it would.
   */
  draft(
    organizationId: string,
    input: DestinationInput & { destinationId?: string | null | undefined },
  ): Promise<DestinationDraft>;
  /** The store at a destination; NOT_FOUND when there is no such destination. */
  open(destinationId: string, organizationId: string): Promise<ObjectStore>;
  /** Writes, reads and removes an object there; throws what the store refuses with. */
  test(draft: DestinationDraft, organizationId: string, signal: AbortSignal): Promise<void>;
}

export interface MadeKey extends KeyPair {
  destination: PublicDestination;
}

const newestFirst = { by: ['createdAt' as const, 'destinationId' as const], direction: 'desc' as const };

const none: DestinationDraft = {
  provider: 's3',
  accessKey: '',
  secretAccessKey: '',
  bucket: '',
  region: '',
  endpoint: '',
  hostKey: '',
  path: '',
};

export function createDestinations(store: DestinationStore, effects: DestinationEffects): Destinations {
  const { clock } = effects;
  const { checked, storeAt } = destinationPlaces(effects);
  const found = (destinationId: string, organizationId: string): Promise<DestinationRecord> =>
    findIn(store, destinationId, organizationId);
  async function next(
    organizationId: string,
    present: DestinationDraft,
    input: DestinationInput,
  ): Promise<DestinationDraft> {
    const draft = await checked(organizationId, changed(present, input));
    refuseMovedKeys(present, draft, input);
    return draft;
  }

  return {
    async create(organizationId, { name, ...input }) {
      const record = {
        destinationId: randomId(),
        organizationId,
        name,
        ...(await next(organizationId, none, input)),
        ...(await nextKeys({ recipients: [], identities: null }, input)),
        createdAt: isoTime(clock),
      };
      await store.insert(record);
      return withoutKeys(record);
    },
    one: async (destinationId, organizationId) => withoutKeys(await found(destinationId, organizationId)),
    all: async (organizationId) => (await store.list({ organizationId }, newestFirst)).map(withoutKeys),
    async update(destinationId, organizationId, { name, ...input }) {
      const present = await found(destinationId, organizationId);
      const record = {
        ...present,
        name: name ?? present.name,
        ...(await next(organizationId, present, input)),
        ...(await nextKeys(present, input)),
      };
      await store.update({ destinationId, organizationId }, record);
      return withoutKeys(record);
    },
    async remove(destinationId, organizationId) {
      const record = await found(destinationId, organizationId);
      const uses = { backup: await store.countBackups(destinationId) };
      refuseWhileUsed(`The destination ${record.name}`, uses, giveAnother);
      await store.remove({ destinationId, organizationId });
      return withoutKeys(record);
    },
    async open(destinationId, organizationId) {
      const record = await found(destinationId, organizationId);
      return withIdentities(await storeAt(organizationId, record), record);
    },
    makeKey: (destinationId, organizationId) => makeKey(store, destinationId, organizationId),
    test: async (draft, organizationId, signal) =>
      tryOut(await storeAt(organizationId, draft, 'trial'), signal),
    async draft(organizationId, { destinationId, ...input }) {
      const present = destinationId ? await found(destinationId, organizationId) : none;
      return next(organizationId, present, input);
    },
  };
}

async function findIn(
  store: DestinationStore,
  destinationId: string,
  organizationId: string,
): Promise<DestinationRecord> {
  const record = await store.find({ destinationId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such destination. It may have been removed.');
  return record;
}

const withIdentities = (
  store: ObjectStore,
  { identities }: Pick<DestinationRecord, 'identities'>,
): ObjectStore => ({
  ...store,
  identities: identitiesOf(identities).map((identity) => new Secret(identity)),
});

async function makeKey(
  store: DestinationStore,
  destinationId: string,
  organizationId: string,
): Promise<MadeKey> {
  const present = await findIn(store, destinationId, organizationId);
  const { keys, pair } = await withNewKey(present);
  await store.update({ destinationId, organizationId }, keys);
  return { ...pair, destination: withoutKeys({ ...present, ...keys }) };
}

/** Stored keys sign for no service that they were not given for. */
function refuseMovedKeys(present: DestinationDraft, next: DestinationDraft, input: DestinationInput): void {
  if (present.secretAccessKey === '' || next.secretAccessKey === '' || input.secretAccessKey) return;
  const [before, after] = [hostOf(present), hostOf(next)];
  if (before !== after)
    throw badField(
      'secretAccessKey',
      `is required with another endpoint: the stored one was given for ${before}, not for ${after}`,
    );
}

/** With its scheme: keys given for https are not used without it. */
function hostOf({ endpoint, provider }: DestinationDraft): string {
  const url = URL.parse(endpoint);
  return url ? `${url.protocol}//${url.host}` : endpoint || provider;
}

function changed(present: DestinationDraft, input: DestinationInput): DestinationDraft {
  const text = (name: Exclude<keyof DestinationDraft, 'provider'>): string =>
    input[name] === undefined ? present[name] : (input[name] ?? '');
  return {
    provider: input.provider ?? present.provider,
    accessKey: text('accessKey'),
    secretAccessKey: text('secretAccessKey'),
    bucket: text('bucket'),
    region: text('region'),
    endpoint: text('endpoint'),
    hostKey: text('hostKey'),
    path: text('path'),
  };
}

/** Bytes that are read of the object of a trial, which has about a hundred. */
const mostOfTrial = 64 * 1024;

/**
 * Does what a backup does: writes, renames within the store, finds, reads again, removes. A store may take
 * what it later does not return, and many lack a copy of their own.
 */
async function tryOut(store: ObjectStore, signal: AbortSignal): Promise<void> {
  const folder = `.berth-test-${randomId()}`;
  const path = `${folder}/object`;
  const text = `Berth is testing whether backups can be stored here: ${randomId()}`;
  const first = `${path}.part`;
  let isStored = false;
  try {
    await store.write(first, oneChunk(text), signal);
    isStored = true;
    await store.rename(first, path, signal);
    const found = (await store.list(folder, signal)).find((object) => object.path === path);
    const stored = await limitedBytes(store.read(path, signal), mostOfTrial, 'The object that was stored');
    if (stored.toString() !== text)
      throw new AppError(
        'PRECONDITION_FAILED',
        'The destination returned another object than was stored. Use another service.',
      );
    if (found?.bytes !== Buffer.byteLength(text))
      throw new AppError(
        'PRECONDITION_FAILED',
        'The destination does not list an object that it has. Use another service, or keys that may list.',
      );
  } catch (error) {
    // Nothing of the test stays, and its failure is the one that is told. A store that refused has nothing.
    if (isStored || !isRefusal(error)) {
      const limit = AbortSignal.timeout(isStored ? cleaningLimitMs : cleaningUnreachedMs);
      const left = isStored ? [first, path] : [first];
      await Promise.allSettled(left.map((one) => store.remove(one, limit)));
    }
    throw error;
  }
  await store.remove(path, signal);
  if (await store.find(path, signal))
    throw new AppError(
      'PRECONDITION_FAILED',
      'The destination still has an object that was removed. Old backups could not be removed there; use ' +
        'another service, or keys that may delete.',
    );
}

const cleaningLimitMs = 10_000;
/** What did not answer is not waited for much longer. */
const cleaningUnreachedMs = 3_000;

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'PRECONDITION_FAILED';

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function withoutKeys({
  accessKey: _accessKey,
  secretAccessKey: _secret,
  identities,
  ...shown
}: DestinationRecord): PublicDestination {
  return { ...shown, heldKeys: heldKeys(identities) };
}
