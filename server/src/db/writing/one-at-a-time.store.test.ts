import { expect, it } from 'vitest';
import { anyHost } from '../../../../test/http/any-host.ts';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { atOnce } from '../../../../test/store/at-once.ts';
import { bothDatabases } from '../../../../test/store/each-database.ts';
import { baseDomainClaims } from '../../../../test/http/worlds/base-domain-claims.ts';
import { createStores } from '../../composition/stores.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { createBaseDomains } from '../../modules/base-domain/base-domain.ts';
import { createDomains } from '../../modules/domain/domain.ts';
import { noSurroundings } from '../../modules/domain/naming.ts';
import { createPorts } from '../../modules/port/port.ts';
import { systemClock } from '../../ports/clock.ts';

const ownerOf = {
  role: 'owner',
  grants: noGrants,
  apiKeyId: undefined,
  sessionId: undefined,
  permissions: undefined,
} as const;
const oneRefused = [
  { status: 'fulfilled' },
  { status: 'rejected', reason: { code: 'CONFLICT', message: expect.stringMatching(/./) } },
];

bothDatabases('what two organizations take at once', ({ open }) => {
  async function begin() {
    const database = await open();
    const { owner, stranger } = await createPeople(database);
    const [ours, theirs] = [
      await createPlace(database, owner, 'ours'),
      await createPlace(database, stranger, 'theirs'),
    ];
    const stores = createStores(database);
    const baseDomains = createBaseDomains({
      store: stores.baseDomains,
      settings: async () => ({ baseDomain: null }),
    });
    const domains = createDomains(stores.domains, systemClock, anyHost, { ...noSurroundings, baseDomains });
    const ports = createPorts(stores.ports, {
      clock: systemClock,
      ownPorts: [],
      meshWorks: async () => true,
    });
    const claims = baseDomainClaims(stores);
    return {
      database,
      domain: (
        { organizationId }: { organizationId: string },
        applicationId: string,
        host: string,
        path = '/',
      ) => domains.create(organizationId, { applicationId }, { host, path }),
      port: ({ organizationId }: { organizationId: string }, applicationId: string) =>
        ports.create(organizationId, applicationId, {
          publishedPort: 9000,
          targetPort: 9000,
          protocol: 'tcp',
          publishMode: 'ingress',
        }),
      claim: ({ organizationId, userId }: { organizationId: string; userId: string }, projectId: string) =>
        claims.change(
          { actor: { ...ownerOf, userId, organizationId }, write: (work) => database.transaction(work) },
          { place: { projectId }, wanted: 'shop.example.com', present: null },
          (baseDomain) => stores.projects.update({ projectId }, { baseDomain: baseDomain ?? null }),
        ),
      people: { owner, stranger },
      ours,
      theirs,
    };
  }

  it('is a host for one of them, whatever the paths', async () => {
    const { database, domain, people, ours, theirs } = await begin();
    expect(
      await atOnce(
        database,
        () => domain(people.owner, ours.applicationId, 'shop.example.com'),
        () => domain(people.stranger, theirs.applicationId, 'shop.example.com', '/pay'),
      ),
    ).toMatchObject(oneRefused);
  });

  it('is a host or the base domain above it', async () => {
    const { database, domain, claim, people, ours, theirs } = await begin();
    expect(
      await atOnce(
        database,
        () => claim(people.owner, ours.projectId),
        () => domain(people.stranger, theirs.applicationId, 'a.shop.example.com'),
      ),
    ).toMatchObject(oneRefused);
  });

  it('is a base domain or a host below it', async () => {
    const { database, domain, claim, people, ours, theirs } = await begin();
    expect(
      await atOnce(
        database,
        () => domain(people.stranger, theirs.applicationId, 'a.shop.example.com'),
        () => claim(people.owner, ours.projectId),
      ),
    ).toMatchObject(oneRefused);
  });

  it('is a published port for one of them', async () => {
    const { database, port, people, ours, theirs } = await begin();
    expect(
      await atOnce(
        database,
        () => port(people.owner, ours.applicationId),
        () => port(people.stranger, theirs.applicationId),
      ),
    ).toMatchObject(oneRefused);
  });
});
