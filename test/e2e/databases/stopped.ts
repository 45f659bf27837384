/** What a stop, a start and a reload do to a database that is being rebuilt. */
import { expect, it } from 'vitest';
import { external } from './life.ts';
import { inSession } from './clients.ts';
import type { DatabaseFixture } from './database-fixture.ts';
import { until } from '../fixtures/applications.ts';

export function stopTests(databases: () => DatabaseFixture): void {
  it.concurrent('a stop during a rebuild ends it; the next start brings the data back', async () => {
    const base = await databases().database('redis', 'stopped-redis', {});
    await base.deploy();
    await base.do('saveExternalPort', { externalPort: 16_400 });
    await inSession('redis', await external(base), (session) => session.write('note', 'kept'));

    const rebuild = await base.begin('rebuild');
    await until('the rebuild is under way', async () => (await base.log(rebuild)).includes('──'));
    expect((await base.ask('reload', { appName: 'stopped-redis' })).status).toBe(409);
    expect(await base.do('stop')).toMatchObject({ applicationStatus: 'idle' });
    expect(await base.ended(rebuild)).toMatchObject({
      status: 'cancelled',
      errorMessage: expect.stringMatching(/^Ended by stop of \S+@\S+\.$/),
    });
    expect(await base.do('start')).toMatchObject({ applicationStatus: 'done' });
    expect(await inSession('redis', await external(base), (session) => session.read('note'))).toBe('kept');
    await base.do('remove');
  });
}
