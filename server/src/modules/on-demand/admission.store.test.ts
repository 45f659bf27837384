import { setImmediate as others } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { domainWorlds, withPreview } from '../../../../test/http/worlds/domain-world.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { AppError } from '../../domain/errors.ts';
import type { Fact } from '../../domain/states/fact.ts';
import { systemClock, type Clock } from '../../ports/clock.ts';
import type { Lookup } from '../../ports/name-resolver.ts';
import { createBaseDomains } from '../base-domain/base-domain.ts';
import { createStores } from '../../composition/stores.ts';
import { createDomains } from '../domain/domain.ts';
import { noSurroundings } from '../domain/naming.ts';
import { createHostRules } from '../own-host/own-host.ts';
import { createAdmission, newNamesAnHour } from './admission.ts';
import { createRefusedNames, mostNames } from './refused-names.ts';
import { questionsAMinute, questionsAtOnce } from './questions.ts';

const here = '203.0.113.7';
const app = 'app.example.com';
const lookup = (...addresses: string[]): Lookup => ({ addresses, fault: undefined });

eachDatabase("host names of an application's customers", (test) => {
  const { begin, scene } = domainWorlds(test);

  async function beginAllowing() {
    const world = await begin();
    const stores = createStores(world.database);
    let now = Date.parse('2026-06-01T12:00:00Z');
    const clock: Clock = { ...systemClock, now: () => now };
    const refused = createRefusedNames(clock);
    const aliases: Record<string, string> = {};
    const addresses: Record<string, Lookup> = { [app]: lookup(here, '2001:db8::7') };
    const [asked, told, withheld]: [string[], Fact[], Set<string>] = [[], [], new Set()];
    const answers = { ask: async (host: string): Promise<boolean> => !host.startsWith('no') };
    const hosts = createHostRules({
      settings: async () => ({ host: 'berth.own.test', ...scene.settings }),
      url: 'http://localhost:3000',
      facts: async () => ({ addresses: ['127.0.0.1'], hostName: 'machine' }),
    });
    const baseDomains = createBaseDomains({
      store: stores.baseDomains,
      settings: async () => scene.settings,
    });
    const domains = createDomains(stores.domains, clock, hosts, { ...noSurroundings, baseDomains });
    const admission = createAdmission({
      store: stores.domains,
      domains,
      hosts,
      baseDomains,
      names: {
        lookUp: async (host) => addresses[host] ?? lookup(),
        records: async (_kind, name) => ({
          found: aliases[name] === undefined ? [] : [aliases[name]],
          fault: undefined,
        }),
      },
      resolver: async () => null,
      clock,
      isWithheld: async (_serverKey, host) => withheld.has(host),
      async ask(domain, host) {
        asked.push(`${domain.allowOnDemand} ${host}`);
        return { isYes: await answers.ask(host), said: '/allow answered 404' };
      },
      refused,
      changeRoutes: (_serverKey, write, change) => write(change),
      withinQuota: (_organizationId, work) => work(),
      tell: async (fact) => void told.push(fact),
      changed: async () => undefined,
      onFault(error) {
        throw error;
      },
    });
    const allow = (input: object = {}, client = world.owner, place = world.place) =>
      client.mutate('domain.create', {
        host: app,
        applicationId: place.applicationId,
        https: true,
        certificateType: 'acme',
        allowOnDemand: '/allow',
        ...input,
      });
    return {
      ...world,
      allow,
      asked,
      told,
      withheld,
      answers,
      addresses,
      aliases,
      stores,
      refused,
      /** The CNAME leads to the application unless another target is named. */
      allows(host: string, target: string | null = app): Promise<boolean> {
        if (target !== null) aliases[host] = `${target}.`;
        return admission.allows('local', host);
      },
      later: (ms: number) => void (now += ms),
      listed: async () =>
        (await stores.domains.list({}))
          .map(({ asciiHost }) => asciiHost)
          .toSorted((a, b) => (a < b ? -1 : 1)),
    };
  }

  it('are routed as the domain is when its service says yes, follow it, and go with it', async () => {
    const { allow, allows, owner, place, stores, listed, asked } = await beginAllowing();
    const domain = await allow({ requestHeaders: { 'X-Tenant': 'a' }, port: 8080 });
    const domainId = textOf(domain, 'domainId');
    expect(domain).toMatchObject({ allowOnDemand: '/allow', onDemandOf: null });
    expect(await allows('shop.customer.test')).toBe(true);
    const whole = { https: true, certificateType: 'acme', port: 8080, requestHeaders: { 'X-Tenant': 'a' } };
    const [made] = await stores.domains.list({ asciiHost: 'shop.customer.test' });
    expect(made).toMatchObject({ ...whole, allowOnDemand: null, onDemandOf: domainId });
    expect(made?.applicationId).toBe(place.applicationId);
    await owner.mutate('domain.update', { domainId, host: app, port: 9090, requestHeaders: {} });
    expect(await stores.domains.find({ asciiHost: 'shop.customer.test' })).toMatchObject({
      ...whole,
      port: 9090,
      requestHeaders: {},
      onDemandOf: domainId,
    });
    // To ask the authority again is no change; anything else stands in the domain.
    const own = { domainId: made?.domainId, host: 'shop.customer.test' };
    await owner.mutate('domain.update', own);
    expect(await owner.mutate('domain.update', { ...own, port: 1 })).toMatchObject({ fields: ['port'] });
    expect(await allows('shop.customer.test')).toBe(true);
    expect(asked).toEqual(['/allow shop.customer.test']);
    await owner.mutate('domain.delete', { domainId });
    expect(await listed()).toEqual([]);
  });

  it('need a domain of one host with https and an authority, and a path', async () => {
    const world = await beginAllowing();
    const { allow } = world;
    await withPreview(world, 'preview');
    for (const input of [
      { https: false },
      { certificateType: 'none' },
      { path: '/api' },
      { allowOnDemand: 'allow' },
      { allowOnDemand: '//other.test/allow' },
      { allowOnDemand: '/a b' },
      { allowOnDemand: '/a#b' },
      { domainType: 'preview', previewDeploymentId: 'preview', applicationId: undefined },
    ])
      expect(await allow(input), JSON.stringify(input)).toMatchObject({ fields: ['allowOnDemand'] });
  });

  it('are served when 20 are allowed and 20 are not, each asked once', async () => {
    const { allow, allows, listed, asked, later } = await beginAllowing();
    await allow();
    const names = (kind: string): string[] =>
      Array.from({ length: 20 }, (_, index) => `${kind}${index}.cust.test`);
    const verdicts = async (kind: string): Promise<boolean[]> =>
      Promise.all(names(kind).flatMap((host) => [allows(host), allows(host)]));
    expect(new Set(await verdicts('yes'))).toEqual(new Set([true]));
    expect(new Set(await verdicts('no'))).toEqual(new Set([false]));
    expect(new Set(await verdicts('no'))).toEqual(new Set([false]));
    expect(asked).toHaveLength(40);
    expect((await listed()).filter((host) => host !== app)).toEqual(names('yes').toSorted());
    later(301_000);
    await allows('no1.cust.test');
    expect(asked).toHaveLength(41);
  });

  it('are none of others: organizations, Berth, base domains, addresses, generated hosts', async () => {
    const { allow, allows, asked, stranger, foreign } = await beginAllowing();
    await allow();
    const rival = { applicationId: foreign.applicationId };
    await stranger.mutate('domain.create', { host: 'rival.example.com', ...rival });
    await stranger.mutate('domain.create', { host: '*.rivals.example.com', ...rival });
    scene.settings.baseDomain = 'apps.example.com';
    for (const host of [
      'rival.example.com',
      'a.rivals.example.com',
      'berth.own.test',
      'x.apps.example.com',
      'apps.example.com',
      '203.0.113.7',
      'web-1a2b3c-203-0-113-7.sslip.io',
      'localhost',
      'a.localhost',
      'single',
      '*.customer.test',
      'a..b.test',
      'a b.test',
      'x'.repeat(64).concat('.test'),
    ])
      expect(await allows(host), host).toBe(false);
    expect(asked).toEqual([]);
  });

  it('belong to whose domain their DNS leads to', async () => {
    const { allow, allows, addresses, aliases, asked, stranger, foreign, later } = await beginAllowing();
    await allow();
    addresses['apex.test'] = lookup(here);
    addresses['elsewhere.test'] = lookup(here, '198.51.100.1');
    expect(await allows('apex.test', null)).toBe(true);
    expect(await allows('elsewhere.test', null)).toBe(false);
    expect(await allows('nowhere.test', null)).toBe(false);
    aliases['alias.test'] = app;
    expect(await allows('by.alias.test', 'alias.test')).toBe(true);
    // Another organization that allows whatever comes gets nothing by that.
    await allow({ host: 'greedy.example.com', allowOnDemand: '/all' }, stranger, foreign);
    addresses['greedy.example.com'] = lookup(here, '2001:db8::7');
    addresses['second.test'] = lookup(here);
    later(301_000);
    expect(await allows('second.test', null)).toBe(false);
    expect(await allows('mine.test')).toBe(true);
    expect(asked).toEqual(['/allow apex.test', '/allow by.alias.test', '/allow mine.test']);
  });

  it('are told with the reason when they are refused, the newest ones of each domain', async () => {
    const { allow, allows, addresses, refused, answers } = await beginAllowing();
    const domainId = textOf(await allow(), 'domainId');
    await allows('no.customer.test');
    const at = '2026-06-01T12:00:00.000Z';
    const refusal = { host: 'no.customer.test', reason: '/allow answered 404', at };
    expect(refused.of(domainId)).toEqual([refusal]);
    // One address is right, the other is not.
    addresses['two.test'] = lookup(here, '2001:db8::9');
    expect(await allows('two.test', null)).toBe(false);
    expect(refused.of(domainId)).toMatchObject([
      {
        host: 'two.test',
        reason:
          `besides the addresses of ${app} it has two.test AAAA 2001:db8::9, which leads elsewhere; let ` +
          'the customer remove that record',
      },
      refusal,
    ]);
    answers.ask = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'The service was not asked.'));
    await allows('silent.customer.test');
    expect(refused.of(domainId)[0]).toMatchObject({ reason: 'The service was not asked.' });
    // Whoever leads nowhere near the domain is not its concern.
    addresses['stray.test'] = lookup('198.51.100.1');
    await allows('stray.test', null);
    expect(refused.of(domainId)).toHaveLength(3);
    for (let index = 0; index < mostNames; index += 1) await allows(`no${index}.customer.test`);
    expect(refused.of(domainId)).toHaveLength(mostNames);
    expect(refused.of('another')).toEqual([]);
  });

  it('of a service that does not answer wait for nobody else, and are asked about again', async () => {
    const { allow, allows, answers, addresses, asked } = await beginAllowing();
    await allow();
    await allow({ host: 'other.example.com', allowOnDemand: '/other' });
    addresses['other.example.com'] = lookup('203.0.113.8');
    const hanging = Promise.withResolvers<boolean>();
    answers.ask = (host) => (host.startsWith('hang') ? hanging.promise : Promise.resolve(true));
    const waiting = Array.from({ length: questionsAtOnce + 1 }, (_, index) => allows(`hang${index}.test`));
    expect(await allows('quick.test', 'other.example.com')).toBe(true);
    while (asked.length < questionsAtOnce + 1) await others();
    hanging.reject(new AppError('SERVICE_UNAVAILABLE', 'no answer within 4 s'));
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => false));
    answers.ask = async () => true;
    expect(await allows('hang0.test')).toBe(true);
  });

  it('of a flood cost a service few questions, and no memory without end', async () => {
    const { allow, allows, asked, addresses, later } = await beginAllowing();
    await allow();
    await allow({ host: 'other.example.com', allowOnDemand: '/other' });
    addresses['other.example.com'] = lookup('203.0.113.8');
    const flood = Array.from({ length: 500 }, (_, index) => allows(`no${index}.flood.test`));
    expect(new Set(await Promise.all(flood))).toEqual(new Set([false]));
    for (let index = 500; index < 1000; index += 1) await allows(`no${index}.flood.test`);
    expect(asked).toHaveLength(questionsAMinute);
    expect(await allows('quick.test', 'other.example.com')).toBe(true);
    expect(await allows('late.test')).toBe(false);
    later(61_000);
    expect(await allows('late.test')).toBe(true);
  });

  it('are as many within an hour as an organization may have, and it is told', async () => {
    const { allow, allows, told, later, stores } = await beginAllowing();
    const domain = await allow();
    const [record] = await stores.domains.list({});
    if (!record) throw new Error('There is no domain.');
    for (let index = 1; index <= newNamesAnHour; index += 1)
      await stores.domains.insert({
        ...record,
        domainId: `d${index}`,
        asciiHost: `c${index}.test`,
        uniqueConfigKey: 1 + index,
        createdAt: '2026-06-01T11:30:00.000Z',
        allowOnDemand: null,
        onDemandOf: textOf(domain, 'domainId'),
      });
    expect(await allows('one-more.test')).toBe(false);
    expect(told).toMatchObject([{ event: 'onDemandLimit', subject: { type: 'domain', name: app } }]);
    expect(told[0]?.sentence).toMatch(/^100 host names of customers were allowed within an hour/);
    later(31 * 60_000);
    expect(await allows('one-more.test')).toBe(true);
  });

  it('that an authority refused are not asked for again by every visitor', async () => {
    const { allow, allows, withheld } = await beginAllowing();
    await allow();
    expect(await allows('shop.test')).toBe(true);
    withheld.add('shop.test');
    expect(await allows('shop.test')).toBe(false);
  });
});
