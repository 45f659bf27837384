/**
 * The installation: an id that is made with its database, and its incarnations, of which a restore begins a
 * new one. Everything that Berth makes on a machine bears the id.
 */
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { isoTime, randomId } from '../../ports/clock.ts';
import type { TableRecord } from '../../db/tables.ts';

export type InstallationRecord = TableRecord<'installation'>;
export type IncarnationRecord = TableRecord<'incarnation'>;
export type UnknownThing = TableRecord<'unknown_thing'>;

export interface Installation {
  /** 16 lower-case letters and digits. */
  readonly installationId: string;
  readonly incarnation: IncarnationRecord;
}

export interface InstallationStore {
  find(): Promise<InstallationRecord | undefined>;
  /** Keeps the first of two that are made at once. */
  create(record: InstallationRecord, incarnation: IncarnationRecord): Promise<void>;
  /** Makes the incarnation the present one, and ends the one before; the same again changes nothing. */
  begin(incarnation: IncarnationRecord): Promise<void>;
  incarnations(): Promise<IncarnationRecord[]>;
  /** Marks a former incarnation as ended; undefined when there is none of this id. */
  giveUp(incarnationId: string, endedAt: string): Promise<boolean>;
  /** Records an incarnation that is only known from its mark on a host, and that it has ended. */
  endUnrecorded(incarnation: IncarnationRecord): Promise<void>;
}

/** What is known of things on engines by their names alone. */
export interface KnownThings {
  /** Names of things without an id that the records of this installation once named. */
  adopted(serverKey: string): Promise<ReadonlySet<string>>;
  adopt(serverKey: string, name: string, since: string): Promise<void>;
  forgetAdopted(serverKey: string, name: string): Promise<void>;
  /** Things that no record names, of one host or of all. */
  unknown(serverKey?: string): Promise<UnknownThing[]>;
  /** Keeps an unknown thing; one that is kept already stays as it is. Returns whether it is new. */
  keepUnknown(thing: UnknownThing): Promise<boolean>;
  forgetUnknown(serverKey: string, name: string): Promise<void>;
}

export interface OpeningDeps {
  store: InstallationStore;
  /** Signs with the key of the database. */
  cipher: { sign(text: string): string };
  clock: Clock;
  /** Whether this start made the database. */
  isNew: boolean;
  /** Id of the incarnation that a restore of the database begins. */
  restored: string | undefined;
  /** Id of a former incarnation that a person says has ended. */
  gaveUp: string | undefined;
}

const idLength = 16;

/** Opens the installation of the database, which is made with it, or at the upgrade of an older one. */
export async function openInstallation(deps: OpeningDeps): Promise<Installation> {
  const { store, clock, restored, gaveUp } = deps;
  if ((await store.find()) === undefined) await make(deps);
  if (restored !== undefined)
    await store.begin({
      incarnationId: restored,
      cause: 'restored',
      startedAt: isoTime(clock),
      endedAt: null,
    });
  if (gaveUp !== undefined) await giveUpIncarnation(store, gaveUp, isoTime(clock));
  const record = await store.find();
  const incarnation = (await store.incarnations()).find(
    ({ incarnationId }) => incarnationId === record?.incarnationId,
  );
  if (record === undefined || incarnation === undefined)
    throw new Error('The database has an installation without its incarnation.');
  return { installationId: record.installationId, incarnation };
}

/**
 * Says that a former incarnation has ended, so that its hosts can be claimed. Throws BAD_REQUEST for the
 * present one. One that the database does not know, since it was restored from a backup made before, is
 * recorded.
 */
export async function giveUpIncarnation(
  store: Pick<InstallationStore, 'find' | 'endUnrecorded'>,
  incarnationId: string,
  now: string,
): Promise<void> {
  if ((await store.find())?.incarnationId === incarnationId)
    throw new AppError(
      'BAD_REQUEST',
      `${incarnationId} is this incarnation itself. Give the name that the refusal shows.`,
    );
  await store.endUnrecorded({ incarnationId, cause: 'restored', startedAt: now, endedAt: now });
}

/**
 * An upgrade that is taken back and made again must find the same installation: things were labelled
 * meanwhile. So an older database has its ids from its key, which stays the same, and a new one by chance,
 * since its folder may hold the key of another database.
 */
async function make({ store, cipher, clock, isNew }: OpeningDeps): Promise<void> {
  const idOf = (what: string): string =>
    isNew ? randomId(idLength).toLowerCase() : plain(cipher.sign(`berth ${what}`));
  const [installationId, incarnationId] = [idOf('installation'), idOf('incarnation')];
  const now = isoTime(clock);
  await store.create(
    { installationId, incarnationId, createdAt: now },
    { incarnationId, cause: isNew ? 'created' : 'upgraded', startedAt: now, endedAt: null },
  );
}

const plain = (text: string): string =>
  text
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase()
    .slice(0, idLength);
