/** How each kind of service is made and used: the rows of the table of lives. */
import { randomUUID } from 'node:crypto';
import type { DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { throughProxy, type DeploymentView } from '../fixtures/berth-host.ts';
import { bedKinds } from '../databases/database-fixture.ts';
import { inSession } from '../databases/clients.ts';
import { createRepository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import { quickCheck } from '../fixtures/applications.ts';
import { deployed, mustBeDone, mustFail, type Life, type Place } from './life.ts';
import { preview } from './preview.ts';

export const lifeKinds = {
  application,
  compose,
  preview,
  postgres: (place: Place) => database(place, 'postgres', { port: 1, change: ['-c', 'max_connections=42'] }),
  mariadb: (place: Place) => database(place, 'mariadb', { port: 2, change: ['--max-connections=42'] }),
  mysql: (place: Place) => database(place, 'mysql', { port: 3, change: ['--max-connections=42'] }),
  mongo: (place: Place) => database(place, 'mongo', { port: 4, change: ['--slowms', '42'] }),
  redis: (place: Place) => database(place, 'redis', { port: 5, change: ['--maxclients', '42'] }),
} as const satisfies Record<string, (place: Place) => Promise<Life>>;

export type LifeKind = keyof typeof lifeKinds;

async function application(place: Place): Promise<Life> {
  const { berth, serverId, environmentId, host } = place;
  const name = `${place.name}-front`;
  const hostName = `${name}.localhost`;
  const version = (words: string) =>
    tinyFiles(words, { start: 'cat /etc/kept >> /www/index.html; httpd -f -p 3000 -h /www' });
  const repository = await createRepository(berth.host, name, version('first'));
  const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name,
    appName: name,
    environmentId,
    serverId,
  });
  const subject = { applicationId };
  await berth.call('application.update', { ...subject, healthCheck: quickCheck });
  await berth.call('application.saveGitProvider', {
    ...subject,
    customGitUrl: repository.url,
    customGitBranch: 'main',
  });
  await berth.call('application.saveBuildType', { ...subject, buildType: 'dockerfile' });
  await berth.call('domain.create', { ...subject, host: hostName, port: 3000 });
  const mount = { serviceType: 'application', ...subject };
  await berth.call('mount.create', { ...mount, type: 'volume', volumeName: 'kept', mountPath: '/kept' });
  await berth.call('mount.create', {
    ...mount,
    type: 'file',
    filePath: 'kept',
    content: '!',
    mountPath: '/etc/kept',
  });
  const published = {
    publishedPort: place.firstPort,
    targetPort: 3000,
    protocol: 'tcp',
    publishMode: 'host',
  };
  await berth.call('port.create', { ...subject, ...published });
  let first: DeploymentView | undefined;
  return {
    label: `berth.application=${applicationId}`,
    async deploy() {
      first = await mustBeDone(berth, await deployed(berth, 'application.deploy', subject));
    },
    answer: () => answerOf(place, hostName),
    async change() {
      await repository.commit(version('second'));
      await mustBeDone(berth, await deployed(berth, 'application.deploy', subject));
      return 'second!';
    },
    async fail() {
      await repository.commit({ start: '#!/bin/busybox sh\necho no configuration; exit 3\n' });
      return mustFail(await deployed(berth, 'application.deploy', subject));
    },
    async rollBack() {
      await mustBeDone(
        berth,
        await deployed(berth, 'deployment.rollback', { deploymentId: first?.deploymentId ?? '' }, subject),
      );
      return 'first!';
    },
    async use() {
      const byPort = await (await fetch(`http://${host.ip}:${place.firstPort}/`)).text();
      const ran = await berth.call<{ exitCode: number }>('application.run', {
        ...subject,
        command: ['/bin/busybox', 'touch', '/kept/by-a-command'],
      });
      const lines = await berth.call<unknown[]>('application.readLogs', { ...subject, tail: 10 });
      const shown = await berth.call<{ containerId: string }[]>('container.getContainersByAppNameMatch', {
        appName: name,
        ...(serverId === null ? {} : { serverId }),
      });
      return [
        `published port: ${byPort.trim()}`,
        `command: ${ran.exitCode}`,
        `log: ${Array.isArray(lines)}`,
        `containers: ${shown.length > 0}`,
      ];
    },
    remove: async () => void (await berth.call('application.delete', { ...subject, deleteVolumes: true })),
  };
}

async function compose(place: Place): Promise<Life> {
  const { berth, serverId, environmentId } = place;
  const name = `${place.name}-stack`;
  const hostName = `${name}.localhost`;
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
    name,
    appName: name,
    environmentId,
    serverId,
  });
  const subject = { composeId };
  const save = (program: string) =>
    berth.call('compose.update', {
      ...subject,
      sourceType: 'raw',
      composeFile: JSON.stringify({
        services: {
          web: { image: 'berth/node:24', command: ['node', '-e', program], volumes: ['kept:/kept'] },
        },
        volumes: { kept: {} },
      }),
    });
  /** Keeps the first words that it ever said. */
  const says = (words: string): string =>
    "const fs = require('node:fs'); if (!fs.existsSync('/kept/first')) fs.writeFileSync('/kept/first', " +
    `'${words}'); require('node:http').createServer((_, answer) => answer.end('${words} after ' + ` +
    "fs.readFileSync('/kept/first'))).listen(3000)";
  await save(says('first'));
  await berth.call('domain.create', {
    domainType: 'compose',
    ...subject,
    serviceName: 'web',
    host: hostName,
    port: 3000,
  });
  let first: DeploymentView | undefined;
  return {
    label: `berth.compose=${composeId}`,
    async deploy() {
      first = await mustBeDone(berth, await deployed(berth, 'compose.deploy', subject));
    },
    answer: () => answerOf(place, hostName),
    async change() {
      await save(says('second'));
      await mustBeDone(berth, await deployed(berth, 'compose.deploy', subject));
      return 'second after first';
    },
    async fail() {
      await save('process.exit(3)');
      return mustFail(await deployed(berth, 'compose.deploy', subject));
    },
    async rollBack() {
      await mustBeDone(
        berth,
        await deployed(berth, 'deployment.rollback', { deploymentId: first?.deploymentId ?? '' }, subject),
      );
      return 'first after first';
    },
    remove: async () => void (await berth.call('compose.delete', { ...subject, deleteVolumes: true })),
  };
}

const manual: Partial<Record<DatabaseKindName, string>> = {
  postgres: 'manualBackupPostgres',
  mariadb: 'manualBackupMariadb',
  mysql: 'manualBackupMySql',
  mongo: 'manualBackupMongo',
};

async function database(
  place: Place,
  kind: DatabaseKindName,
  { port, change }: { port: number; change: string[] },
): Promise<Life> {
  const { berth, serverId, environmentId, destinationId } = place;
  const { image, own } = bedKinds[kind];
  const name = `${place.name}-${kind}`;
  const created = await berth.call<Record<string, string>>(`${kind}.create`, {
    name,
    appName: name,
    ...own,
    databasePassword: 'Secret-1',
    containerImage: image,
    environmentId,
    serverId,
  });
  const id = created[`${kind}Id`] ?? '';
  const subject = { [`${kind}Id`]: id };
  const list = { databaseId: id };
  const address = async (): Promise<string> =>
    (await berth.call<{ connection: { external: string | null } }>(`${kind}.one`, subject)).connection
      .external ?? '';
  const write = async (text: string): Promise<void> =>
    inSession(kind, await address(), (session) => session.write('note', text));
  const note = randomUUID();
  const backup = manual[kind];
  return {
    label: `berth.database=${id}`,
    async deploy() {
      await mustBeDone(berth, await deployed(berth, `${kind}.deploy`, subject, list));
      await berth.call(`${kind}.saveExternalPort`, { ...subject, externalPort: place.firstPort + port });
      await write(note);
    },
    answer: async () =>
      address()
        .then((where) => inSession(kind, where, (session) => session.read('note')))
        .then(
          (found) => found ?? undefined,
          () => undefined,
        ),
    async change() {
      await berth.call(`${kind}.update`, { ...subject, args: change, memoryLimit: '700m' });
      await berth.call(`${kind}.reload`, { ...subject, appName: name });
      return note;
    },
    async fail() {
      await berth.call(`${kind}.update`, { ...subject, containerImage: 'berth/is-not-there:1' });
      const failed = mustFail(await deployed(berth, `${kind}.deploy`, subject, list));
      await berth.call(`${kind}.update`, { ...subject, containerImage: image });
      return failed;
    },
    ...(backup === undefined
      ? {}
      : {
          async backUpAndRestore() {
            const { backupId } = await berth.call<{ backupId: string }>('backup.create', {
              databaseType: kind,
              ...subject,
              destinationId,
              schedule: '0 3 1 1 *',
              prefix: `of/${id}`,
              database: 'shop',
            });
            await berth.call(`backup.${backup}`, { backupId });
            await write('lost');
            const [run] = await berth.call<{ path: string }[]>('backup.runs', { backupId });
            const { success, log } = await berth.call<{ success: boolean; log: string[] }>(
              'backup.restoreBackupWithLogs',
              {
                databaseId: id,
                databaseType: kind,
                databaseName: 'shop',
                backupFile: run?.path,
                destinationId,
              },
            );
            if (!success) throw new Error(log.join('\n'));
            return note;
          },
        }),
    remove: async () => void (await berth.call(`${kind}.remove`, subject)),
  };
}

/** What a host name answers through the proxy; undefined when it is no answer of the service. */
export async function answerOf({ host }: Pick<Place, 'host'>, hostName: string): Promise<string | undefined> {
  const answer = await throughProxy(host.ip, hostName).catch(() => undefined);
  return answer?.status === 200 ? answer.body.trim() : undefined;
}
