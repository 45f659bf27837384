import { expect, it } from 'vitest';
import { domainWorlds } from '../../../../test/http/worlds/domain-world.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import type { SeenRequest } from '../../ports/access-log.ts';

const input = { host: 'Shop.Example.COM' };

eachDatabase('requests of domains', (test) => {
  const { begin } = domainWorlds(test);

  it('have their requests counted by the minute, whenever they are written', async () => {
    const {
      owner,
      place: { applicationId },
      requests,
    } = await begin();
    const domainId = textOf(await owner.mutate('domain.create', { ...input, applicationId }), 'domainId');
    const minute = Date.now() - (Date.now() % 60_000);
    const seen = (at: number, status: number, durationMs: number, of = domainId): SeenRequest => ({
      at,
      domainId: of,
      serviceId: applicationId,
      method: 'GET',
      host: 'a.test',
      path: '/',
      status,
      durationMs,
      bytes: 100,
    });
    requests.add([
      seen(minute, 200, 10),
      seen(minute + 1, 200, 10),
      seen(minute + 2, 502, 1000),
      seen(minute, 200, 1, 'other'),
      seen(minute - 60_000, 404, 5),
      seen(minute - 7_200_000, 200, 1),
    ]);
    const expected = {
      domainId,
      since: expect.any(String),
      minutes: [
        {
          minute: new Date(minute - 60_000).toISOString(),
          requests: 1,
          statuses: { 404: 1 },
          p50: expect.closeTo(5, 0),
          p95: expect.closeTo(5, 0),
          p99: expect.closeTo(5, 0),
          bytes: 100,
        },
        {
          minute: new Date(minute).toISOString(),
          requests: 3,
          statuses: { 200: 2, 502: 1 },
          p50: expect.closeTo(10, 0),
          p95: expect.closeTo(1000, -2),
          p99: expect.closeTo(1000, -2),
          bytes: 300,
        },
      ],
    };
    expect(await owner.query('domain.requests', { domainId })).toEqual(expected);
    await requests.flush();
    expect(await owner.query('domain.requests', { domainId })).toEqual(expected);
    requests.add([seen(minute + 3, 200, 10)]);
    await requests.flush();
    expect(
      await owner.query('domain.requests', { domainId, since: new Date(minute + 30_000).toISOString() }),
    ).toMatchObject({ minutes: [{ requests: 4, statuses: { 200: 3, 502: 1 }, bytes: 400 }] });
    expect(await owner.query('domain.requests', { domainId, since: 'yesterday' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['since'],
    });
    expect(await owner.query('domain.accessLog', { domainId, tail: 5 })).toEqual([
      {
        at: '1970-01-01T00:00:00.000Z',
        method: 'GET',
        host: 'a.test',
        path: '/',
        status: 200,
        durationMs: 5,
        bytes: 1,
      },
    ]);
  });
});
