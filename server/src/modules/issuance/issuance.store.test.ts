import { noDomainRules } from '../domain/route-rules.ts';
import { beforeEach, expect, it } from 'vitest';
import { makeCertificate } from '../../../../test/certificates/authority.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { AppError } from '../../domain/errors.ts';
import { tableStore } from '../../db/table-store.ts';
import type { KeptFile } from '../../ports/certificates/certificate-news.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { createPeople } from '../../../../test/http/people.ts';
import { createIssuance, type Issuance } from './issuance.ts';
import { createIssuanceStore } from './store.ts';

const root = makeCertificate({ name: 'Issuing CA', isAuthority: true });
const leaf = (host: string, storage = ''): KeptFile[] => {
  const { pem, key } = makeCertificate({ name: host, hosts: [host], issuer: root });
  const folder = `${storage}certificates/acme.test-dir/${host}/${host}`;
  return [
    { path: `${folder}.crt`, content: pem },
    { path: `${folder}.key`, content: key },
    { path: `${folder}.json`, content: '{}' },
  ];
};
const accountIn = (storage: string): KeptFile => ({
  path: `${storage}acme/acme.test-dir/users/a@a.test/a.key`,
  content: `secret of the account ${storage}`,
});
const account = accountIn('');
const refusal = (host: string, type = 'connection', authority = 'acme.test-dir') =>
  ({
    kind: 'failed',
    host,
    authority,
    words: 'x',
    problem: { type: `urn:ietf:params:acme:error:${type}`, detail: 'Timeout' },
  }) as const;
const directory = { directoryUrl: 'https://acme.test/dir', account: null };
const usual = { directoryUrl: null, account: null };
const minuteMs = 60_000;

eachDatabase('issuance', (test) => {
  let now = 0;
  let disk: KeptFile[] = [];
  let answer: string | undefined;
  let warnings: string[] = [];
  let facts: string[] = [];
  let changes = 0;
  let away: AppError['code'] | undefined;
  beforeEach(() => {
    away = undefined;
    [now, disk, answer, warnings, changes, facts] = [Date.now(), [], undefined, [], 0, []];
  });
  async function begin() {
    const database = await test.open();
    const store = createIssuanceStore(database, 'local');
    const folders = async (): Promise<Set<string>> =>
      new Set(disk.map(({ path }) => path.slice(0, path.lastIndexOf('/'))));
    const again = (): Issuance =>
      createIssuance({
        store,
        clock: { now: () => now },
        whyNot: async () => answer,
        warn: (sentence) => warnings.push(sentence),
        tell: async ({ event, subject }) => void facts.push(`${event} ${subject.name}`),
        changed: () => void (changes += 1),
        files: {
          folders,
          files: async (host) =>
            disk.filter(
              ({ path }) =>
                host === undefined ||
                path.includes(`/${host}/`) ||
                /^(?:accounts\/[^/]+\/)?acme\//.test(path),
            ),
          putBack: async (files) => void disk.push(...files.map(({ path, content }) => ({ path, content }))),
          accounts: async () => [
            ...new Set(disk.flatMap(({ path }) => /^accounts\/([^/]+)/.exec(path)?.[1] ?? [])),
          ],
          async forget(name, { certificates }) {
            if (away !== undefined) throw new AppError(away, 'The server cannot be reached.');
            disk = disk.filter(
              ({ path }) => !path.startsWith(`accounts/${name}/${certificates ? '' : 'acme/'}`),
            );
          },
        },
      });
    return { database, store, issuance: again(), again };
  }
  async function wanted(
    database: Awaited<ReturnType<typeof begin>>['database'],
    ...hosts: string[]
  ): Promise<void> {
    const people = await createPeople(database);
    const { applicationId } = await createPlace(database, people.owner, 'Shop');
    for (const [index, host] of hosts.entries()) {
      await tableStore(database, 'domain').insert({
        domainId: host,
        organizationId: people.owner.organizationId,
        host,
        asciiHost: host,
        path: '/',
        port: 80,
        ownPort: 80,
        https: true,
        certificateType: 'acme',
        customCertResolver: null,
        applicationId,
        composeId: null,
        serviceName: null,
        domainType: 'application',
        previewDeploymentId: null,
        internalPath: '/',
        stripPath: false,
        hstsMaxAge: null,
        requestHeaders: {},
        maxBodyBytes: null,
        ...noDomainRules,
        uniqueConfigKey: index + 1,
        serverKey: 'local',
        createdAt: '2026',
      });
    }
  }

  it('tells what came, of the authority it came from, and keeps its files', async () => {
    const { issuance, store } = await begin();
    disk = [...leaf('a.test'), account];
    await issuance.hear({ kind: 'issued', host: 'a.test' });
    expect(await issuance.of('a.test', directory)).toMatchObject({
      status: 'issued',
      issuer: expect.stringContaining('Issuing CA'),
      error: null,
    });
    expect(await issuance.of('a.test', usual)).toBeUndefined();
    expect((await store.filePaths()).map(({ path }) => path).toSorted()).toEqual(
      [account.path, ...leaf('a.test').map(({ path }) => path)].toSorted(),
    );
    // A second look finds nothing new.
    expect(await issuance.keep()).toBe(0);
  });

  it('puts back what is lost, and nothing else', async () => {
    const { issuance } = await begin();
    disk = [...leaf('a.test'), ...leaf('b.test'), account];
    const whole = [...disk];
    expect(await issuance.keep()).toBe(7);
    expect(await issuance.putBack()).toBe(0);
    disk = disk.filter(({ path }) => !path.includes('/a.test/'));
    expect(await issuance.putBack()).toBe(3);
    disk = [];
    expect(await issuance.putBack()).toBe(7);
    const byPath = (left: KeptFile, right: KeptFile): number => (left.path < right.path ? -1 : 1);
    expect(disk.toSorted(byPath)).toEqual(whole.toSorted(byPath));
    // What has ended is not worth it.
    disk = [];
    now += 20 * 365 * 24 * 60 * minuteMs;
    expect(await issuance.putBack()).toBe(1);
  });

  it.each([
    ['is away', 'SERVICE_UNAVAILABLE'],
    ['may not be connected to', 'PRECONDITION_FAILED'],
  ] as const)('forgets an account whose server %s when it answers again', async (_state, code) => {
    const { store, issuance, again } = await begin();
    disk = [...leaf('a.test', 'accounts/theirs/'), accountIn('accounts/theirs/')];
    await issuance.keep();
    away = code;
    await issuance.forgetAccount('theirs');
    expect((await store.filePaths()).filter(({ path }) => path.includes('/acme/'))).toEqual([]);
    await expect(issuance.keep()).rejects.toThrow('cannot be reached');
    away = undefined;
    // Berth was started anew meanwhile.
    await again().keep();
    expect(await store.owedAccounts()).toEqual([]);
    expect(disk.filter(({ path }) => path.includes('/acme/'))).toEqual([]);
    expect((await store.filePaths()).filter(({ path }) => path.includes('/acme/'))).toEqual([]);
    expect(disk.length).toBeGreaterThan(0);
  });

  it('withholds a refused host for longer each time, until it is asked for by hand', async () => {
    const { issuance } = await begin();
    for (const minutes of [10, 30, 60, 180]) {
      await issuance.hear(refusal('a.test'));
      expect(await issuance.of('a.test', directory)).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('could not reach port 80'),
        nextAt: now + minutes * minuteMs,
      });
      expect(await issuance.withheld()).toEqual(new Set(['a.test']));
      now += minutes * minuteMs;
      expect(await issuance.withheld()).toEqual(new Set());
    }
    await issuance.hear(refusal('a.test'));
    await issuance.prepare('a.test');
    expect(await issuance.withheld()).toEqual(new Set());
    expect(await issuance.of('a.test', directory)).toBeUndefined();
  });

  it('keeps what serves while its renewal is refused, and warns when the end nears', async () => {
    const { issuance, database } = await begin();
    await wanted(database, 'a.test');
    disk = leaf('a.test');
    await issuance.hear({ kind: 'issued', host: 'a.test' });
    await issuance.hear(refusal('a.test'));
    const state = await issuance.of('a.test', directory);
    expect(state).toMatchObject({
      status: 'issued',
      error: expect.stringContaining('could not reach port 80'),
    });
    expect(await issuance.withheld()).toEqual(new Set());
    await issuance.look();
    expect(warnings).toEqual([]);
    now = state?.warnAt ?? 0;
    await issuance.look();
    await issuance.look();
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The certificate of a\.test ends at .* and has not been renewed yet\. .*could not reach port 80/,
      ),
    ]);
    now += 25 * 60 * minuteMs;
    await issuance.look();
    expect(warnings).toHaveLength(2);
    expect(facts).toEqual(['certificateFailed a.test', ...Array(2).fill('certificateExpiring a.test')]);
  });

  it(
    'tells accounts at one authority apart, and forgets those that nobody has any more, with what is ' +
      'theirs alone',
    async () => {
      const { issuance, database, store } = await begin();
      const { owner } = await createPeople(database);
      const resolvers = tableStore(database, 'certificate_resolver');
      for (const name of ['ours', 'theirs']) {
        await resolvers.insert({
          certificateResolverId: name,
          organizationId: owner.organizationId,
          name,
          directoryUrl: 'https://acme.test/dir',
          email: 'a@a.test',
          rootCertificates: null,
          eabKeyId: null,
          eabHmacKey: null,
          createdAt: '2026',
        });
      }
      const of = (name: string): KeptFile[] => [
        ...leaf(`${name}.test`, `accounts/${name}/`),
        accountIn(`accounts/${name}/`),
      ];
      disk = [...leaf('a.test'), account, ...of('ours'), ...of('theirs')];
      for (const host of ['a.test', 'ours.test', 'theirs.test'])
        await issuance.hear({ kind: 'issued', host });
      expect(await issuance.of('ours.test', { ...directory, account: 'ours' })).toMatchObject({
        status: 'issued',
        authority: 'ours/acme.test-dir',
      });
      expect(await issuance.of('ours.test', { ...directory, account: 'theirs' })).toBeUndefined();
      expect(await issuance.of('ours.test', directory)).toBeUndefined();
      // A refusal of one leaves what the other issued.
      await issuance.hear(refusal('ours.test', 'connection', 'theirs/acme.test-dir'));
      expect(await issuance.of('ours.test', { ...directory, account: 'theirs' })).toMatchObject({
        status: 'failed',
      });
      // Whoever names the first one again is told of what it has.
      expect(await issuance.of('ours.test', { ...directory, account: 'ours' })).toMatchObject({
        status: 'issued',
        error: null,
      });
      const whole = disk.length;
      await issuance.look();
      expect([disk.length, (await store.filePaths()).length]).toEqual([whole, whole]);
      // Its next order makes an account anew; its certificates stay.
      await issuance.forgetAccount('theirs');
      expect(disk.filter(({ path }) => path.startsWith('accounts/theirs/')).map(({ path }) => path)).toEqual(
        leaf('theirs.test', 'accounts/theirs/').map(({ path }) => path),
      );
      expect(await issuance.putBack()).toBe(0);
      await resolvers.remove({ certificateResolverId: 'theirs' });
      await issuance.look();
      const left = [...leaf('a.test'), account, ...of('ours')].map(({ path }) => path).toSorted();
      expect(disk.map(({ path }) => path).toSorted()).toEqual(left);
      expect((await store.filePaths()).map(({ path }) => path).toSorted()).toEqual(left);
    },
  );

  it('asks nobody for a host that does not lead here, and looks again by itself', async () => {
    const { issuance, database, store } = await begin();
    await wanted(database, 'a.test');
    answer = 'a.test leads to 203.0.113.9 instead of 203.0.113.7. Change its record.';
    await issuance.prepare('a.test');
    await issuance.prepare('nobody.test');
    for (const asked of [directory, usual])
      expect(await issuance.of('a.test', asked)).toMatchObject({
        status: 'failed',
        error: answer,
        issuer: null,
      });
    expect(await issuance.withheld()).toContain('a.test');
    now += minuteMs;
    await issuance.look();
    expect([await issuance.withheld(), changes]).toEqual([new Set(['a.test']), 0]);
    expect(await store.find({ host: 'nobody.test' })).toBeUndefined();
    answer = undefined;
    await issuance.look();
    expect(changes).toBe(0);
    now += 2 * minuteMs;
    await issuance.look();
    expect([await issuance.withheld(), changes]).toEqual([new Set(), 1]);
  });
});
