/**
 * A world: two organizations with one of everything each, and the people of the first. Worlds are seeded by
 * the dozen, and every test that changes something takes one of its own.
 */
import type { Database } from '../../server/src/db/database.ts';
import { fixturesBeside, fixturesOf, type Fixtures, type Rows } from './fixtures.ts';
import { rowsOfFixtures, rowsOfFurther } from './fixtures-rows.ts';
import { keyRow, noPassword, peopleOf, rowsOfPeople, type People } from './people.ts';
import { insertRows } from './seed.ts';

export interface World {
  own: Fixtures;
  /** Of the other organization. */
  foreign: Fixtures;
  people: People;
  /** Header with a key of the owner that has expired. */
  expired: Record<string, string>;
  /** Header with a key of the owner that may nothing. */
  narrowed: Record<string, string>;
}

export interface SeedOptions {
  /** Number of the first world; an installation has each number once. */
  from?: number;
  /** Everybody's password, as a hash. */
  passwordHash?: string;
  /** Makes the first organization of the first world older than every other: the installation's. */
  isInstallations?: boolean;
  /** The first organization of the first world is that of all worlds, each with people of its own. */
  isOne?: boolean;
}

/** What the fixtures name outside is a closed port of loopback: Berth is to find nobody there by itself. */
const openLoopback = { name: 'allowedPrivateNetworks', value: ['127.0.0.0/8'] };

export async function seedWorlds(
  database: Database,
  count: number,
  { from = 0, passwordHash = noPassword, isInstallations = false, isOne = false }: SeedOptions = {},
): Promise<World[]> {
  const first = isOne ? fixturesOf(prefixOf(from)) : undefined;
  const made = Array.from({ length: count }, (_, index) =>
    worldOf(from + index, { passwordHash, beside: index === 0 ? undefined : first }),
  );
  if (isInstallations)
    for (const organization of made[0]?.rows.organization?.slice(0, 1) ?? [])
      organization.createdAt = '2020-01-01T00:00:00.000Z';
  await insertRows(database, [
    ...made.map(({ rows }) => rows),
    ...(isInstallations ? [{ setting: [openLoopback] }] : []),
  ]);
  return made.map(({ world }) => world);
}

const prefixOf = (number: number): string => `w${number}`;

/** `beside`: fixtures in whose organization it is. */
function worldOf(
  number: number,
  { passwordHash, beside }: { passwordHash: string; beside: Fixtures | undefined },
): { world: World; rows: Rows } {
  const prefix = prefixOf(number);
  const people = peopleOf(prefix);
  const own: Fixtures = {
    ...(beside ? fixturesBeside(beside, prefix) : fixturesOf(prefix)),
    apiKeyId: people.owner.apiKeyId,
    userId: people.member.userId,
    email: people.member.email,
  };
  const foreign: Fixtures = {
    ...fixturesOf(`x${number}`),
    apiKeyId: people.stranger.apiKeyId,
    userId: people.stranger.userId,
    email: people.stranger.email,
  };
  const { userId } = people.owner;
  const special = { userId, organizationId: own.organizationId };
  const [expiredKey, narrowedKey] = [`berth_${prefix}_expired`, `berth_${prefix}_narrowed`];
  const keys = [
    keyRow({
      ...special,
      apiKeyId: `${prefix}-key-expired`,
      key: expiredKey,
      expiresAt: Date.parse('2026-06-02T00:00:00.000Z'),
    }),
    keyRow({ ...special, apiKeyId: `${prefix}-key-narrowed`, key: narrowedKey, permissions: {} }),
  ];
  return {
    world: {
      own,
      foreign,
      people,
      expired: { 'x-api-key': expiredKey },
      narrowed: { 'x-api-key': narrowedKey },
    },
    rows: joined([
      (beside ? rowsOfFurther : rowsOfFixtures)(own, 2 * number),
      rowsOfFixtures(foreign, 2 * number + 1),
      rowsOfPeople(people, { own, other: foreign, passwordHash }),
      { api_key: keys },
    ]),
  };
}

function joined(lots: readonly Rows[]): Rows {
  const all: Record<string, object[]> = {};
  for (const lot of lots) for (const [table, rows] of Object.entries(lot)) (all[table] ??= []).push(...rows);
  return all;
}
