/** The contents of databases, read only: tables and rows, a query, the keys of Redis. */
import { z } from 'zod';
import { mutation, query } from '../../procedure/procedure.ts';
import { programGrant, secretsAction } from '../../domain/access/permissions.ts';
import { id, line } from '../service/contract-fields.ts';

const own = {
  class: 'protected',
  resources: [{ kind: 'database', field: 'databaseId' }],
  grant: 'canReadSecrets',
  action: secretsAction,
} as const;
const byId = z.object({ databaseId: id });
const limit = z.number().int().min(1).max(200).default(50);
const name = line(200).min(1);
const refusals = ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;

const isCut = z.boolean().describe('There is more than the answer contains');
const table = z.object({
  schema: z.string().describe('Of MySQL and MariaDB: the database'),
  name: z.string(),
  kind: z.enum(['table', 'view']),
  estimatedRows: z.number().nullable().describe("The server's estimate; null where it has none"),
  sizeBytes: z.number().nullable().describe('With its indexes'),
});
const rows = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string().nullable())).describe('Values as text; null is the null of the database'),
  isCut,
});
const statement = z.string().describe('Text of the statement or command');
const running = z.object({
  statement,
  user: z.string().describe('Login that runs it'),
  seconds: z.number().describe('Seconds since it began'),
  state: z.string().describe('What it does or waits for, in the words of the server; empty: it works'),
});
const counted = z.object({
  statement,
  calls: z.number().describe('How often it ran'),
  meanMs: z.number().describe('Milliseconds of one call, on average'),
  totalMs: z.number().describe('Milliseconds of all calls'),
  at: z.string().nullable().describe('When a command of the slow log ran, ISO 8601; null for SQL'),
});
const key = z.object({
  key: z.string(),
  type: z.string().describe('string, list, hash, set, zset, stream, or the name of a type of a module'),
  expiresInMs: z.number().nullable().describe('Milliseconds until the server removes it; null: never'),
});

export const databaseContract = {
  tables: query({
    summary: 'The tables and views of a PostgreSQL, MySQL or MariaDB database, the largest first',
    description: 'At most 500. MongoDB and Redis have none: 412.',
    access: own,
    input: byId,
    output: z.object({ tables: z.array(table).describe('The largest first'), isCut }),
    refusals,
  }),
  rows: query({
    summary: 'Rows of a table, in the order of its primary key',
    description:
      'Read in a read-only transaction of at most 10 s. A value longer than 1000 characters is cut, and an ' +
      'answer ends at about 60 KiB. The call is in the audit log.',
    access: own,
    input: byId.extend({
      schema: name.describe('As in database.tables'),
      table: name.describe('Name of the table or view'),
      limit,
      offset: z.number().int().min(0).max(10_000_000).default(0).describe('Rows to pass over'),
    }),
    output: rows,
    refusals,
  }),
  query: mutation({
    summary: 'Runs one statement that reads, in a read-only transaction',
    description:
      'One statement that returns rows, of PostgreSQL, MySQL or MariaDB. It is ended after 10 s; the ' +
      'answer has at most `limit` rows and about 60 KiB. It runs as the user of the record, who may call ' +
      'every function of the server, so members need canOpenTerminal, too. A statement that the server ' +
      'refuses is a 400. The call is in the audit log.',
    access: { ...own, grant: ['canReadSecrets', programGrant] },
    changes: false,
    input: byId.extend({ statement: z.string().min(1).max(20_000).describe('One statement of SQL'), limit }),
    example: { databaseId: 'V1StGXR8Z5jdHi6BmyT3k', statement: 'select count(*) from orders' },
    output: rows,
    refusals,
  }),
  statements: query({
    summary: 'What a database does now, and which statements took it longest',
    description:
      'Of PostgreSQL, MySQL and MariaDB what runs in this database now, the longest first, and the ' +
      'statements with the most time in all, where the server counts them; `missing` says how it does. Of ' +
      'Redis the commands of its slow log. At most 50 of each, each of at most 1000 characters. MongoDB: ' +
      '412. The call is in the audit log.',
    access: own,
    input: byId,
    output: z.object({
      running: z.array(running).describe('The longest first; empty for Redis'),
      slowest: z.array(counted).describe('Those with the most time in all first; of Redis the newest first'),
      missing: z
        .string()
        .nullable()
        .describe('Why the server does not count statements, and how it would; null: it does'),
      isCut,
    }),
    refusals,
  }),
  keys: query({
    summary: 'Keys of a Redis database',
    description:
      'Read by SCAN. An answer looks at about 10000 keys and may have a few more than `limit`; call again ' +
      'with its `cursor` for the next ones. The call is in the audit log.',
    access: own,
    input: byId.extend({
      match: line(500).min(1).default('*').describe('Pattern of SCAN, such as session:*'),
      cursor: z
        .string()
        .regex(/^\d{1,20}$/)
        .default('0')
        .describe('Where the answer before said to go on; 0: the beginning'),
      limit,
    }),
    output: z.object({
      keys: z.array(key).describe('In no order'),
      cursor: z.string().nullable().describe('Where the next call goes on; null at the end'),
    }),
    refusals,
  }),
  value: query({
    summary: 'The value of a key of a Redis database',
    description:
      'At most 100 elements of at most 1000 bytes each, and 10000 bytes of a string. The call is in the ' +
      'audit log.',
    access: own,
    input: byId.extend({ key: z.string().min(1).max(1000) }),
    output: key.extend({
      length: z.number().describe('Elements; of a string, bytes'),
      elements: z
        .array(
          z.object({
            field: z.string().describe('Field, index, score or id; empty where there is none'),
            value: z.string().describe('As text'),
          }),
        )
        .describe('Of a string, one'),
      isCut,
    }),
    refusals: ['NOT_FOUND', ...refusals],
  }),
};
