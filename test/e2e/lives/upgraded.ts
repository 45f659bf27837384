/** Services of all kinds that run while Berth is upgraded, and their tasks. */
import type { BedHost } from '../../bed/host/host.ts';
import { organizationLabel } from '../../../server/src/domain/names/labels.ts';
import { repositoriesFolder } from '../fixtures/repository.ts';
import { docker, output, quickCheck, until } from '../fixtures/applications.ts';
import { answerOf, lifeKinds } from './kinds.ts';
import { deployed, mustBeDone, type Life, type Place } from './life.ts';

type Running = Pick<Life, 'deploy' | 'answer'>;

const all = { ...lifeKinds, image: ofImage, pair } as const satisfies Record<
  string,
  (place: Place) => Promise<Running>
>;

/** Those that take little memory, of which a large installation has many, first. */
const names = [
  ...(['image', 'pair', 'preview', 'application', 'compose', 'redis'] as const),
  ...(['postgres', 'mongo', 'mariadb', 'mysql'] as const),
] as const satisfies (keyof typeof all)[];
const cheap = names.slice(0, 6);

export interface UpgradedServices {
  /** Every task that the engine knows of them: an upgrade that restarts one of them adds another. */
  tasks(): Promise<string[]>;
  /** Waits until each answers as it did when it was deployed. */
  answer(): Promise<void>;
  /** Waits until the reconciler has been round once since Berth's start: no new address comes before. */
  reconciled(): Promise<void>;
}

/** One of each kind up to the number, then further cheap ones; deployed eight at a time. */
export async function upgradedServices(
  { berth, host }: Pick<Place, 'berth' | 'host'>,
  count: number,
): Promise<UpgradedServices> {
  await berth.call('settings.update', {
    localRepositoryPaths: [repositoriesFolder],
    serverIp: host.ip,
    sharedImages: ['berth/'],
    buildsConcurrency: 4,
  });
  const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Upgraded',
  });
  const shared = { berth, host, serverId: null, environmentId: environment.environmentId, destinationId: '' };
  const kinds = Array.from(
    { length: count },
    (_, index) => names[index] ?? cheap[index % cheap.length] ?? 'image',
  );
  let domains = 0;
  const services: { life: Running; answered: string | undefined }[] = [];
  const place = (index: number): Place => ({
    ...shared,
    name: `kept-${index}`,
    firstPort: 18_000 + 10 * index,
  });
  const rows = kinds.map((kind, index) => ({ kind, place: place(index) }));
  for (let at = 0; at < rows.length; at += 8)
    await Promise.all(
      rows.slice(at, at + 8).map(async (row) => {
        const life: Running = await all[row.kind](row.place);
        await life.deploy();
        const answered = await until(`${row.place.name} (${row.kind}) answers`, () => life.answer());
        services.push({ life, answered });
      }),
    );
  return {
    tasks: () => tasksOf(host),
    async answer() {
      for (const { life, answered } of services)
        await until(`it answers ${answered}`, async () => (await life.answer()) === answered);
    },
    async reconciled() {
      domains += 1;
      const { environmentId } = shared;
      const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
        name: `further-${domains}`,
        environmentId,
      });
      await berth.call('domain.create', { applicationId, host: `further-${domains}.localhost`, port: 3000 });
    },
  };
}

/** "<task> <id> <desired state>" of each, ended ones too. */
async function tasksOf(host: BedHost): Promise<string[]> {
  const label = `label=${organizationLabel}`;
  const ids = await output(host, docker, 'service', 'ls', '--quiet', '--filter', label);
  const format = '{{.Name}} {{.ID}} {{.DesiredState}}';
  const shown = ['service', 'ps', '--no-trunc', '--format', format, ...ids.split('\n')] as const;
  return (await output(host, docker, ...shown)).split('\n').toSorted();
}

const says = (words: string): string[] => [
  'node',
  '-e',
  `require('node:http').createServer((_, answer) => answer.end('${words}')).listen(3000)`,
];

/** An application that runs an image as it is. */
async function ofImage({ berth, name, environmentId, host }: Place): Promise<Running> {
  const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name,
    appName: `${name}-image`,
    environmentId,
  });
  const subject = { applicationId };
  const [command, ...args] = says(name);
  await berth.call('application.saveContainerProvider', { ...subject, containerImage: 'berth/node:24' });
  await berth.call('application.update', { ...subject, command, args, healthCheck: quickCheck });
  await berth.call('domain.create', { ...subject, host: `${name}-image.localhost`, port: 3000 });
  return {
    deploy: async () => void (await mustBeDone(berth, await deployed(berth, 'application.deploy', subject))),
    answer: () => answerOf({ host }, `${name}-image.localhost`),
  };
}

/** Two services of a compose file, and a job that has ended. */
async function pair({ berth, name, environmentId, host }: Place): Promise<Running> {
  const composeFile = JSON.stringify({
    services: {
      job: { image: 'berth/node:24', command: ['node', '-e', ''], restart: 'no' },
      back: { image: 'berth/node:24', command: says('back'), init: false },
      web: {
        image: 'berth/node:24',
        command: says(name),
        depends_on: { job: { condition: 'service_completed_successfully' } },
      },
    },
  });
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
    name,
    appName: `${name}-pair`,
    environmentId,
  });
  const subject = { composeId };
  const hostName = `${name}-pair.localhost`;
  await berth.call('compose.update', { ...subject, sourceType: 'raw', composeFile });
  const domain = { domainType: 'compose', serviceName: 'web', host: hostName, port: 3000 };
  await berth.call('domain.create', { ...subject, ...domain });
  return {
    deploy: async () => void (await mustBeDone(berth, await deployed(berth, 'compose.deploy', subject))),
    answer: () => answerOf({ host }, hostName),
  };
}
