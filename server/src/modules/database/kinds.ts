/**
 * What the kinds of database differ in: one row each (interface document, Database; decisions 6). Whatever
 * has a part for each kind is a walk over this table. Pure.
 */
import { databaseFields, type DatabaseField, type DatabaseKindName } from '../../domain/database-kind.ts';
import { mongoServer } from './kinds/mongo.ts';
import { mariadbServer, mysqlServer } from './kinds/mysql.ts';
import { postgresServer } from './kinds/postgres.ts';
import { redisServer } from './kinds/redis.ts';
import type { DatabaseServer } from './kinds/server.ts';

/** Parts of an address, made fit to stand in it. */
export interface Address {
  user: string;
  password: string;
  /** Host and port. */
  at: string;
  database: string;
  replicaSets: boolean;
}

export interface DatabaseKind {
  /** Name of its id in the interface. */
  id: `${DatabaseKindName}Id`;
  /** Its name for people. */
  title: string;
  /** Image when none is named. */
  image: string;
  /** The document's default of this kind exists in no registry. */
  imageIsPublished?: false;
  /** One that exists, for hints. */
  exampleImage: string;
  port: number;
  fields: readonly DatabaseField[];
  /** `documented`: the document's pattern of characters; `line`: anything without a line break. */
  password: 'documented' | 'line';
  /** Texts that must not be empty, as the document states: on create these; on update every text, or none. */
  filled: { create: readonly ('name' | 'appName' | 'databaseName' | 'databaseUser')[]; update: boolean };
  /** How programs reach it. */
  address(parts: Address): string;
  /** How its server runs. */
  server: DatabaseServer;
  /** Its backup by hand; absent: no backup operation exists for the kind. */
  manualBackup?: `manualBackup${string}`;
}

export const databaseKinds = {
  mariadb: {
    id: 'mariadbId',
    title: 'MariaDB',
    image: 'mariadb:11',
    exampleImage: 'mariadb:11',
    port: 3306,
    fields: databaseFields.mariadb,
    password: 'documented',
    filled: { create: ['name', 'appName', 'databaseName', 'databaseUser'], update: true },
    address: ({ user, password, at, database }) => `mariadb://${user}:${password}@${at}/${database}`,
    server: mariadbServer,
    manualBackup: 'manualBackupMariadb',
  },
  mysql: {
    id: 'mysqlId',
    title: 'MySQL',
    image: 'mysql:8',
    exampleImage: 'mysql:8',
    port: 3306,
    fields: databaseFields.mysql,
    password: 'documented',
    filled: { create: ['name', 'appName'], update: true },
    address: ({ user, password, at, database }) => `mysql://${user}:${password}@${at}/${database}`,
    server: mysqlServer,
    manualBackup: 'manualBackupMySql',
  },
  postgres: {
    id: 'postgresId',
    title: 'PostgreSQL',
    image: 'postgres:18',
    exampleImage: 'postgres:18',
    port: 5432,
    fields: databaseFields.postgres,
    password: 'documented',
    filled: { create: ['appName'], update: false },
    address: ({ user, password, at, database }) => `postgresql://${user}:${password}@${at}/${database}`,
    server: postgresServer,
    manualBackup: 'manualBackupPostgres',
  },
  mongo: {
    id: 'mongoId',
    title: 'MongoDB',
    image: 'mongo:15',
    imageIsPublished: false,
    exampleImage: 'mongo:8',
    port: 27_017,
    fields: databaseFields.mongo,
    password: 'documented',
    filled: { create: ['name', 'appName', 'databaseUser'], update: true },
    address: ({ user, password, at, replicaSets }) =>
      `mongodb://${user}:${password}@${at}/?authSource=admin${replicaSets ? '&replicaSet=rs0' : ''}`,
    server: mongoServer,
    manualBackup: 'manualBackupMongo',
  },
  redis: {
    id: 'redisId',
    title: 'Redis',
    image: 'redis:8',
    exampleImage: 'redis:8',
    port: 6379,
    fields: databaseFields.redis,
    password: 'line',
    filled: { create: ['name', 'appName'], update: true },
    address: ({ password, at }) => `redis://default:${password}@${at}`,
    server: redisServer,
  },
} as const satisfies Record<DatabaseKindName, DatabaseKind>;

export type DatabaseKinds = typeof databaseKinds;
/** Kinds that can be backed up. */
export type BackupKindName = {
  [K in DatabaseKindName]: DatabaseKinds[K] extends { manualBackup: string } ? K : never;
}[DatabaseKindName];

/** The row without its literal types. */
export function databaseKind(name: DatabaseKindName): DatabaseKind {
  return databaseKinds[name];
}
