/** What previews left behind: removed by records alone, also when Berth ends in the middle. */
import { expect, it } from 'vitest';
import { backupScenes } from '../../../../../test/http/backup-scene.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { createStores } from '../../../composition/stores.ts';
import { plainCompose } from '../../../../../test/world/plain-compose.ts';
import type { ComposeRecord, DatabaseRecord } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import { createTurns } from '../../service/turns.ts';
import { createDiscardDatabase, createRemovePreviewDatabases } from '../databases/removal.ts';
import type { ComposePreviewRow } from '../store.ts';
import { createEndLeftBehind } from './left-behind.ts';

const stages = ['before', 'engine', 'record', 'logs'] as const;
type Stage = (typeof stages)[number];

const seen = (organizationId: string): ComposePreviewRow => ({
  previewDeploymentId: 'seen',
  organizationId,
  composeId: 'original',
  branch: 'door',
  pullRequestNumber: 1,
  name: null,
  domain: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  commit: null,
  repository: '',
  provider: 'gitea',
  isTrusted: true,
  isFork: false,
  commentId: null,
  commentDigest: null,
  expiresAt: null,
});

eachDatabase('what previews left behind', (test) => {
  const scene = backupScenes(test);

  async function begin() {
    const { database, people, place } = await scene();
    const stores = createStores(database);
    const { organizationId } = people.owner;
    const source = await stores.databases.find({ databaseId: 'postgres-first' });
    if (!source) throw new Error('no source');
    const insert = (databaseId: string, previewDeploymentId: string): Promise<void> =>
      stores.databases.insert({ ...source, databaseId, appName: databaseId, previewDeploymentId });
    /** Ids of databases of which services or volumes stand on the engine. */
    const standing = new Set(['postgres-first', 'unknown-to-records']);
    const warned: string[] = [];
    /** One run of Berth, which ends at this stage. */
    const run = (killedAt?: Stage, unreachable?: string): Promise<void> => {
      const at = (stage: Stage): void => {
        if (stage === killedAt) throw new Error(`killed at ${stage}`);
      };
      const discard = createDiscardDatabase({
        databases: {
          async remove(databaseId) {
            const row = await stores.databases.find({ databaseId });
            await stores.databases.remove({ databaseId });
            at('record');
            if (!row) throw new AppError('NOT_FOUND', 'It is gone.');
            return row;
          },
        },
        deployments: { all: async () => [{ deploymentId: 'one' }] as never },
        runtime: {
          async remove({ databaseId }) {
            if (databaseId === unreachable) throw new AppError('SERVICE_UNAVAILABLE', 'No answer.');
            at('before');
            standing.delete(databaseId);
            at('engine');
          },
        },
        turns: createTurns(),
        logs: { remove: async () => at('logs') },
        transaction: (work) => database.transaction(work),
      });
      const removeDatabases = createRemovePreviewDatabases({
        store: stores.databases,
        runs: { ofDatabase: async () => [], settled: async () => undefined },
        interruption: { endThen: (_service, _by, act) => act() },
        discard,
      });
      const log = { info: () => undefined, warn: (text: string) => void warned.push(text) };
      const removeCopy = async ({ composeId }: ComposeRecord): Promise<void> => {
        if (composeId === unreachable) throw new AppError('SERVICE_UNAVAILABLE', 'No answer.');
        await removeDatabases(composeId);
        await stores.composes.remove({ composeId });
      };
      return createEndLeftBehind({ stores, removeDatabases, removeCopy, log })();
    };
    const ids = async (): Promise<string[]> =>
      (await stores.databases.list({ organizationId })).map((one: DatabaseRecord) => one.databaseId).sort();
    const addLeft = async (): Promise<void> => {
      for (const id of ['left-one', 'left-two']) {
        await insert(id, 'gone');
        standing.add(id);
      }
    };
    return { stores, place, organizationId, insert, standing, warned, run, ids, addLeft };
  }

  it('go with what stands of them wherever Berth ends in between; nothing else does', async () => {
    const { run, ids, standing, addLeft } = await begin();
    for (const stage of stages) {
      await addLeft();
      await expect(run(stage)).rejects.toThrow(`killed at ${stage}`);
      await run();
      expect([stage, ...(await ids())]).toEqual([stage, 'postgres-first']);
      // Of what no record names the reconciler takes care, which knows what a restore began with.
      expect([...standing]).toEqual(['postgres-first', 'unknown-to-records']);
    }
    await run('before');
  });

  it('are not those of previews that are there', async () => {
    const { run, ids, insert, stores, organizationId, place } = await begin();
    await insert('of-preview', 'preview');
    await stores.previewDeployments.insert({
      previewDeploymentId: 'preview',
      organizationId,
      applicationId: place.applicationId,
      branch: 'door',
      pullRequestNumber: 12,
      name: null,
      image: null,
      expiresAt: null,
      domain: '',
      domainId: null,
      commit: null,
      status: 'building',
      createdAt: '2026-01-01T00:00:00.000Z',
      appName: 'preview',
      repository: '',
      provider: 'gitea',
      isTrusted: true,
      isFork: false,
      liveDeploymentId: null,
      releasedAppName: null,
      isStopped: false,
      commentId: null,
      commentDigest: null,
    });
    await run('before');
    expect(await ids()).toEqual(['of-preview', 'postgres-first']);
    await stores.previewDeployments.remove({ previewDeploymentId: 'preview' });
    await run();
    expect(await ids()).toEqual(['postgres-first']);
  });

  it('stay with a warning while their server does not answer, and keep no other from it', async () => {
    const { run, ids, insert, warned } = await begin();
    await insert('far', 'first');
    await insert('near', 'second');
    await run(undefined, 'far');
    expect(await ids()).toEqual(['far', 'postgres-first']);
    expect(warned).toEqual(['The databases of a preview that is gone could not be removed']);
    await run();
    expect(await ids()).toEqual(['postgres-first']);
  });

  it('copies of compose services go with their databases once they are no preview', async () => {
    const { run, ids, insert, stores, organizationId, place, warned } = await begin();
    const record = (composeId: string, previewOf: ComposeRecord['previewOf']): ComposeRecord => ({
      ...plainCompose,
      environmentId: place.environmentId,
      organizationId,
      composeId,
      name: composeId,
      appName: composeId,
      refreshToken: composeId,
      createdAt: '2026-01-01T00:00:00.000Z',
      previewOf,
    });
    const copy = { composeId: 'original', number: 1, provider: 'gitea', isTrusted: true } as const;
    await stores.composes.insert(record('original', null));
    await stores.composes.insert(record('left', copy));
    await stores.composePreviews.insert(seen(organizationId), record('seen', copy), []);
    for (const id of ['seen', 'left']) await insert(`of-${id}`, id);
    await run(undefined, 'left');
    expect(warned).toEqual(['The services of a preview that is gone could not be removed']);
    await run();
    expect((await stores.composes.list({ organizationId })).map(({ composeId }) => composeId).sort()).toEqual(
      ['original', 'seen'],
    );
    expect(await ids()).toEqual(['of-seen', 'postgres-first']);
  });
});
