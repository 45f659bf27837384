import { expect, it } from 'vitest';
import { bothDatabases } from '../../../test/store/each-database.ts';
import { plainCompose } from '../../../test/world/plain-compose.ts';
import type { Database } from './database.ts';
import { migrate, migrations, schemaVersion } from './migrations.ts';
import { tableStore } from './table-store.ts';
import { tables } from './tables.ts';

const now = '2026-01-01T00:00:00.000Z';
const newest = migrations.at(-1)?.version ?? 0;

bothDatabases('migrations', ({ open, openEmpty }) => {
  it('make the columns that tables.ts says, with the same nulls', async () => {
    const database = await open();
    for (const [table, columns] of Object.entries(tables)) {
      const expected = Object.entries(columns).map(([name, { nullable }]) => ({ name, nullable }));
      expect({ table, columns: await columnsOf(database, table) }).toEqual({
        table,
        columns: byName(expected),
      });
    }
  });

  it('count up, run once, and tell what they did', async () => {
    const versions = migrations.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].toSorted((left, right) => left - right));
    const database = await openEmpty();
    expect(await schemaVersion(database)).toBe(0);
    expect(await migrate(database, now)).toEqual(migrations.map(({ version }) => version));
    expect(await schemaVersion(database)).toBe(newest);
    expect(await migrate(database, now)).toEqual([]);
  });

  it('undo a step that fails, whole, and keep the steps before it', async () => {
    const database = await openEmpty();
    const failing = {
      version: newest + 1,
      name: 'half',
      sql: 'CREATE TABLE "half" ("id" TEXT PRIMARY KEY); CREATE TABLE "half" ("id" TEXT);',
    };
    await expect(migrate(database, now, [...migrations, failing])).rejects.toThrow('already exists');
    expect(await schemaVersion(database)).toBe(newest);
    expect(await columnsOf(database, 'half')).toEqual([]);
    expect(
      await migrate(database, now, [
        ...migrations,
        { ...failing, sql: 'CREATE TABLE "half" ("id" TEXT PRIMARY KEY);' },
      ]),
    ).toEqual([newest + 1]);
  });

  it('keep deployments and databases when deployments become those of any service', async () => {
    const database = await openEmpty();
    await migrate(
      database,
      now,
      migrations.filter(({ version }) => version < 4),
    );
    const at = `'${now}'`;
    await database.script(`
      INSERT INTO "organization" ("organizationId", "name", "createdAt") SELECT 'o', 'x', ${at};
      INSERT INTO "project" ("projectId", "organizationId", "name", "description", "env", "createdAt")
        SELECT 'p', 'o', 'x', '', '', ${at};
      INSERT INTO "environment" ("environmentId", "organizationId", "projectId", "name", "description", "env",
          "isDefault", "createdAt")
        SELECT 'e', 'o', 'p', 'x', '', '', 1, ${at};
      INSERT INTO "database" ("databaseId", "kind", "organizationId", "environmentId", "name", "appName",
          "description", "databasePassword", "containerImage", "replicaSets", "applicationStatus", "args",
          "env", "isStopped", "createdAt")
        SELECT 'd', 'redis', 'o', 'e', 'x', 'x', '', 'x', 'redis:8', 0, 'idle', '[]', '', 0, ${at};`);
    const columns = (await columnsOf(database, 'application'))
      .filter(({ nullable }) => !nullable)
      .map(({ name }) => name);
    const numbers = new Set([
      'replicas',
      'createEnvFile',
      'isStaticSpa',
      'enableSubmodules',
      'autoDeploy',
      'cleanCache',
      'rollbackActive',
      'previewPort',
      'previewHttps',
      'previewLimit',
      'isPreviewDeploymentsActive',
      'previewRequireCollaboratorPermissions',
      'isStopped',
    ]);
    const values: Record<string, string> = { applicationId: "'a'", environmentId: "'e'" };
    const names = columns.map((name) => `"${name}"`);
    const contents = columns.map((name) => values[name] ?? (numbers.has(name) ? '0' : "''"));
    await database.script(`
      INSERT INTO "application" (${names.join()}) VALUES (${contents.join()});
      INSERT INTO "deployment" ("deploymentId", "organizationId", "applicationId", "kind", "title",
          "description", "status", "settings", "createdAt", "sequence")
        VALUES ('old', 'o', 'a', 'deploy', 'kept', '', 'done', 'sealed', ${at}, 7);`);
    await migrate(database, now);
    const stores = {
      deployments: tableStore(database, 'deployment'),
      databases: tableStore(database, 'database'),
    };
    expect(
      await valuesOf(
        database,
        'select "title", "applicationId", "databaseId", "composeId", "settings", "sequence" from ' +
          '"deployment"',
      ),
    ).toMatchObject([
      { title: 'kept', applicationId: 'a', databaseId: null, composeId: null, settings: 'sealed' },
    ]);
    expect(
      await valuesOf(database, 'select "dataVolume", "formerVolumes", "liveDeploymentId" from "database"'),
    ).toEqual([{ dataVolume: 'berth-data-d', formerVolumes: '[]', liveDeploymentId: null }]);
    const next = {
      organizationId: 'o',
      title: 'x',
      description: '',
      kind: 'deploy',
      status: 'done',
      applicationId: null,
      composeId: null,
      previewDeploymentId: null,
      stage: null,
      commit: null,
      pushedCommit: null,
      commitInfo: null,
      ownBuild: null,
      sourceApplications: null,
      image: null,
      errorMessage: null,
      settings: null,
      sourceDeploymentId: null,
      startedBy: null,
      stages: null,
      child: null,
      previousVersion: null,
      withoutCache: false,
      moveFrom: null,
      moveTo: null,
      createdAt: now,
      startedAt: null,
      healthyAt: null,
      finishedAt: null,
    } as const;
    await expect(
      stores.deployments.insert({ ...next, deploymentId: 'again', databaseId: 'd', sequence: 7 }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    await stores.deployments.insert({ ...next, deploymentId: 'new', databaseId: 'd', sequence: 8 });
    await stores.databases.remove({ databaseId: 'd' });
    expect(await valuesOf(database, 'select "deploymentId" from "deployment"')).toEqual([
      { deploymentId: 'old' },
    ]);
  });

  it('encrypt statements that stood in plain text, and leave an empty list as it is', async () => {
    const database = await open();
    const stored = async (): Promise<unknown> =>
      (await valuesOf(database, 'select "previewDatabases" as "text" from "compose"'))[0];
    const [sealing] = migrations.filter(({ version }) => version === 80);
    const again = (step: number) =>
      migrate(database, now, [
        ...migrations,
        ...[1, 2].slice(0, step).map((of) => ({ name: 'again', sql: '', ...sealing, version: newest + of })),
      ]);
    await insertCompose(database, '[]');
    await again(1);
    expect(await stored()).toEqual({ text: '[]' });
    const wanted = [{ databaseId: 'd', from: 'copy' as const, mask: 'update people' }];
    await database.script(`UPDATE "compose" SET "previewDatabases" = '${JSON.stringify(wanted)}'`);
    await again(2);
    expect(await stored()).toEqual({ text: expect.stringMatching(/^v1\.[^{]+$/) });
    const composes = tableStore(database, 'compose');
    expect(await composes.list({})).toMatchObject([{ previewDatabases: wanted }]);
    await composes.update({ composeId: 'c' }, { previewDatabases: wanted.slice(1) });
    expect(await stored()).toEqual({ text: '[]' });
    await composes.update({ composeId: 'c' }, { previewDatabases: wanted });
    expect(await stored()).toEqual({ text: expect.stringMatching(/^v1\.[^{]+$/) });
    await expect(composes.list({ previewDatabases: wanted })).rejects.toThrow('cannot compare');
  });

  it('refuse a database of a newer Berth, saying what to do', async () => {
    const database = await open();
    await database.script(
      `INSERT INTO "schema_migration" VALUES (${newest + 5}, 'from the future', '${now}')`,
    );
    await expect(migrate(database, now)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining(`version ${newest + 5}`),
    });
  });
});

/** A compose service with its place, and this stored as its databases of previews. */
async function insertCompose(database: Database, previewDatabases: string): Promise<void> {
  await database.script(`
    INSERT INTO "organization" ("organizationId", "name", "createdAt") VALUES ('o', 'x', '${now}');
    INSERT INTO "project" ("projectId", "organizationId", "name", "description", "env", "createdAt")
      VALUES ('p', 'o', 'x', '', '', '${now}');
    INSERT INTO "environment" ("environmentId", "organizationId", "projectId", "name", "description", "env",
      "isDefault", "createdAt") VALUES ('e', 'o', 'p', 'x', '', '', 1, '${now}');`);
  await tableStore(database, 'compose').insert({
    ...plainCompose,
    composeId: 'c',
    organizationId: 'o',
    environmentId: 'e',
    name: 'x',
    appName: 'x',
    refreshToken: 'x',
    createdAt: now,
  });
  await database.script(`UPDATE "compose" SET "previewDatabases" = '${previewDatabases}'`);
}

interface ColumnState {
  name: string;
  nullable: boolean;
}

async function valuesOf(database: Database, sql: string): Promise<unknown[]> {
  const query = { kind: 'RawNode', sqlFragments: [], parameters: [] } as const;
  return database.run<Record<string, unknown>>({ sql, parameters: [], query, queryId: { queryId: sql } });
}

async function columnsOf(database: Database, table: string): Promise<ColumnState[]> {
  const sql =
    database.dialect === 'sqlite'
      ? `select "name", "notnull" = 0 and "pk" = 0 as "nullable" from pragma_table_info('${table}')`
      : `select column_name as "name", is_nullable = 'YES' as "nullable" from ` +
        `information_schema.columns where table_name = '${table}' and table_schema = 'public'`;
  const query = { kind: 'RawNode', sqlFragments: [], parameters: [] } as const;
  const rows = await database.run<{ name: string; nullable: number | boolean }>({
    sql,
    parameters: [],
    query,
    queryId: { queryId: table },
  });
  return byName(rows.map(({ name, nullable }) => ({ name, nullable: Boolean(nullable) })));
}

function byName(columns: ColumnState[]): ColumnState[] {
  return columns.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
