/** SQL of issuance: the state of each host's certificate, and the copied files of the proxy's store. */
import { AppError } from '../../domain/errors.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { Database } from '../../db/database.ts';
import { fixedLimit } from '../../db/values/fixed-limit.ts';
import { tableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import { accountOf, hostOf } from './issued.ts';

export type IssuanceRecord = Omit<TableRecord<'issuance'>, 'serverKey'>;
export type ProxyFileRecord = Omit<TableRecord<'proxy_file'>, 'serverKey'>;

export interface IssuanceStore {
  find(where: { host: string }): Promise<IssuanceRecord | undefined>;
  list(where: Partial<Pick<IssuanceRecord, 'status'>>): Promise<IssuanceRecord[]>;
  put(record: IssuanceRecord): Promise<void>;
  forget(host: string): Promise<void>;
  /** Hosts on this server that need a certificate of an authority. */
  wantedHosts(): Promise<string[]>;
  /** Paths of the stored files, without their content. */
  filePaths(): Promise<Pick<ProxyFileRecord, 'path' | 'expiresAt'>[]>;
  file(path: string): Promise<ProxyFileRecord | undefined>;
  /** Stores the files that differ; resolves with their number. */
  keepFiles(files: readonly ProxyFileRecord[]): Promise<number>;
  forgetFiles(expiredBefore: number): Promise<void>;
  /** Accounts with stored files, except the installation's own. */
  accounts(): Promise<string[]>;
  /** Accounts of the certificate resolvers that exist, by their ids. */
  wantedAccounts(): Promise<string[]>;
  /** Organizations with a domain of this host; for Berth's own host, that of the installation. */
  ownersOf(host: string): Promise<string[]>;
  /** Removes the stored files of an account, those of its certificates only with `certificates`. */
  forgetAccount(account: string, options: { certificates: boolean }): Promise<void>;
  /** Accounts that still have to be removed from the server's disk. */
  owedAccounts(): Promise<string[]>;
  oweAccount(account: string): Promise<void>;
  settleAccount(account: string): Promise<void>;
}

/** For one server: each has its own certificates, accounts and keys, and never gets those of another. */
export function createIssuanceStore(database: Database, serverKey: string): IssuanceStore {
  const issuances = tableStore(database, 'issuance');
  const files = tableStore(database, 'proxy_file');
  const { wanted, paths, resolvers, expired, owners, first } = queriesOf(database);
  const ownHost = ownHostIn(database);
  return {
    find: ({ host }) => issuances.find({ serverKey, host }),
    list: (where) => issuances.list({ serverKey, ...where }),
    put: ({ host, ...record }) =>
      database.transaction(async () => {
        if ((await issuances.update({ serverKey, host }, record)) > 0) return;
        // Another write for the same host may happen at this moment; the later one wins.
        await database
          .attempt(() => issuances.insert({ serverKey, host, ...record }))
          .catch(async (error: unknown) => {
            if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
            await issuances.update({ serverKey, host }, record);
          });
      }),
    forget: async (host) => void (await issuances.remove({ serverKey, host })),
    wantedHosts: async () => [
      ...(await database.run(wanted, [serverKey, 1, 'none'])).map(({ asciiHost }) => asciiHost),
      ...(serverKey === localServer ? await ownHost() : []),
    ],
    async ownersOf(host) {
      const isOwn = serverKey === localServer && (await ownHost()).includes(host);
      const found = isOwn ? await database.run(first) : await database.run(owners, [serverKey, host]);
      return found.map(({ organizationId }) => organizationId);
    },
    filePaths: () => database.run(paths, [serverKey]),
    file: (path) => files.find({ serverKey, path }),
    keepFiles: (changed) =>
      database.transaction(async () => {
        let count = 0;
        for (const { path, ...file } of changed) {
          const present = await files.find({ serverKey, path });
          if (present?.content === file.content) continue;
          count += 1;
          if (present) await files.update({ serverKey, path }, file);
          else await files.insert({ serverKey, path, ...file });
        }
        return count;
      }),
    forgetFiles: async (expiredBefore) => void (await database.change(expired, [serverKey, expiredBefore])),
    accounts: async () => [
      ...new Set((await database.run(paths, [serverKey])).flatMap(({ path }) => accountOf(path) ?? [])),
    ],
    wantedAccounts: async () =>
      (await database.run(resolvers)).map(({ certificateResolverId }) => certificateResolverId),
    forgetAccount: (account, { certificates }) =>
      database.transaction(async () => {
        for (const { path } of await database.run(paths, [serverKey]))
          if (accountOf(path) === account && (certificates || hostOf(path) === undefined))
            await files.remove({ serverKey, path });
      }),
    ...owedAccounts(database, serverKey),
  };
}

/** Berth's own host name, which belongs to no domain. */
function ownHostIn(database: Database): () => Promise<string[]> {
  const settings = tableStore(database, 'setting');
  return async () => {
    const value = (await settings.find({ name: 'host' }))?.value;
    return typeof value === 'string' ? [value] : [];
  };
}

/** Stored as a setting of the installation, under the key of the server. */
function owedAccounts(
  database: Database,
  serverKey: string,
): Pick<IssuanceStore, 'owedAccounts' | 'oweAccount' | 'settleAccount'> {
  const settings = tableStore(database, 'setting');
  const name = `owedAccounts/${serverKey}`;
  async function read(): Promise<string[]> {
    const value = (await settings.find({ name }))?.value;
    return Array.isArray(value) ? value.map(String) : [];
  }
  const change = (edit: (accounts: string[]) => string[]): Promise<void> =>
    database.transaction(async () => {
      const present = await settings.find({ name });
      const value = edit(await read());
      if (value.length === 0) await settings.remove({ name });
      else if (present) await settings.update({ name }, { value });
      else await settings.insert({ name, value });
    });
  return {
    owedAccounts: read,
    oweAccount: (account) => change((accounts) => [...new Set([...accounts, account])]),
    settleAccount: (account) => change((accounts) => accounts.filter((one) => one !== account)),
  };
}

function queriesOf({ builder }: Database) {
  const wanted = builder
    .selectFrom('domain')
    .select('asciiHost')
    .distinct()
    .where('serverKey', '=', '')
    .where('https', '=', 1)
    .where('certificateType', '<>', 'none')
    .compile();
  const paths = builder
    .selectFrom('proxy_file')
    .select(['path', 'expiresAt'])
    .where('serverKey', '=', '')
    .compile();
  const resolvers = builder.selectFrom('certificate_resolver').select('certificateResolverId').compile();
  const expired = builder
    .deleteFrom('proxy_file')
    .where('serverKey', '=', '')
    .where('expiresAt', '<', 0)
    .compile();
  const owners = builder
    .selectFrom('domain')
    .select('organizationId')
    .distinct()
    .where('serverKey', '=', '')
    .where('asciiHost', '=', '')
    .compile();
  const first = builder
    .selectFrom('organization')
    .select('organizationId')
    .orderBy('createdAt')
    .orderBy('organizationId')
    .limit(fixedLimit(1))
    .compile();
  return { wanted, paths, resolvers, expired, owners, first };
}
