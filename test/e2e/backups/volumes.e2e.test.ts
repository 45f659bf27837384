/**
 * Backups and restores of volumes, and of Redis databases, on a real Berth and engine: what is in them comes
 * back as it was, whatever the service does meanwhile; then Berth is killed in the middle.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { placesOf } from '../../run/places.ts';
import { dockerOf } from '../../bed/docker.ts';
import { docker, logOf, type RunView } from './backup-fixture.ts';
import { redisTests } from './redis.ts';
import { berthAt, type PlacedBerth } from '../fixtures/placed-berth.ts';
import { nodeCommand } from '../fixtures/sources.ts';
import {
  deploymentEnded,
  expectCalmLog,
  applicationFixture,
  output,
  until,
} from '../fixtures/applications.ts';
import type { App, ApplicationFixture } from '../fixtures/applications.ts';

const longMs = 180_000;
const files = '/srv/kept';

let shop: ApplicationFixture;
let berth: PlacedBerth;
let destinationId = '';

/** The service whose volumes are meant. */
type Subject = { applicationId: string } | { composeId: string } | { redisId: string };

async function backUp(subject: Subject, serviceDuring: string): Promise<RunView> {
  const { volumeBackupId } = await berth.call<{ volumeBackupId: string }>('volumeBackup.create', {
    ...subject,
    volumeName: 'data',
    destinationId,
    schedule: '0 3 1 1 *',
    serviceDuring,
  });
  const { backupRunId } = await berth.call<{ backupRunId: string }>('volumeBackup.run', { volumeBackupId });
  return ended(subject, backupRunId);
}

async function restore(subject: Subject, backupFile: string): Promise<RunView> {
  const { backupRunId } = await berth.call<{ backupRunId: string }>('volumeBackup.restore', {
    ...subject,
    volumeName: 'data',
    destinationId,
    backupFile,
  });
  return ended(subject, backupRunId);
}

const runsOf = (subject: Subject): Promise<RunView[] & Record<string, unknown>> =>
  berth.call<RunView[] & Record<string, unknown>>('volumeBackup.runsByService', subject);

async function ended(subject: Subject, backupRunId: string): Promise<RunView> {
  const found = await until(
    'the run has ended',
    async () =>
      (await runsOf(subject)).find(
        (run) => run.backupRunId === backupRunId && ['done', 'error'].includes(run.status),
      ),
    longMs,
  );
  if (!found) throw new Error('It has not ended.');
  return found;
}

async function good(run: Promise<RunView>): Promise<RunView> {
  const found = await run;
  if (found.status !== 'done') throw new Error(await logOf(berth, found.backupRunId));
  return found;
}

const stepsOf = ({ steps }: RunView): string[] => steps.map(({ name, status }) => `${name} ${status}`);

async function inside(service: string, script: string): Promise<string> {
  const engine = dockerOf(berth.services);
  const [container = ''] = await until('a container runs', async () => {
    const found = await engine.containersOf(service);
    return found.length > 0 && found;
  }).then((found) => found || []);
  return engine.exec(container, ['sh', '-c', script]);
}

/** What is worth keeping of a file: its path, owner, rights, links, content, and its time but of links. */
const describeFiles =
  `cd /data && find . ! -type d ! -type l -exec stat -c '%n %u:%g %a %F %h %Y' {} + | sort && ` +
  `find . '(' -type d -o -type l ')' -exec stat -c '%N %u:%g %a' {} + | sort && ` +
  'find . -type f -exec sha256sum {} + | sort';
const oddFiles = [
  'cd /data',
  'mkdir -p sub/deep && chown 1234:4321 sub && chmod 2750 sub',
  `printf odd > "sub/ odd * ' name"`,
  'head -c 3000000 /dev/urandom > sub/deep/random && chmod 4600 sub/deep/random',
  'ln -f sub/deep/random hard && ln -sf sub/deep/random soft',
  'mkfifo -m 600 pipe || true',
  'touch -d 2001-02-03T04:05:06 old',
].join(' && ');

async function keeper(name: string): Promise<App & { subject: Subject }> {
  const app = await shop.fromImage(name, nodeCommand(name));
  await app.do('mount.create', { type: 'volume', volumeName: 'data', mountPath: '/data' });
  await app.deploy();
  await inside(app.appName, oddFiles);
  return Object.assign(app, { subject: { applicationId: app.id } });
}

const volumesOf = (app: App): Promise<string[]> =>
  dockerOf(berth.services).volumes(`berth.application=${app.id}`);
/** Runs of which there is a container; every container of Berth's bears the label, most of them empty. */
async function left(): Promise<string[]> {
  const format = '{{.Label "berth.backup-run"}}';
  const label = ['--filter', 'label=berth.backup-run'] as const;
  const found = await output(berth.services, docker, 'ps', '--all', '--format', format, ...label);
  return found.split('\n').filter((one) => one !== '');
}

describe.each(placesOf('backups'))('volumes on: %s', (place) => {
  beforeAll(async () => {
    berth = await berthAt(place, await bedOfRun(), { name: 'volumes', index: 45 });
    shop = await applicationFixture(berth, { sharedImages: ['berth/'] });
    await output(berth.host, 'mkdir', '-p', files);
    const made = await berth.call<{ destinationId: string }>('destination.create', {
      name: 'kept',
      provider: 'local',
      path: files,
    });
    ({ destinationId } = made);
  });
  afterAll(() => berth.end());

  describe('volumes of an application', () => {
    it('come back as they were, beside; what was before stays until it is removed', async () => {
      const app = await keeper('files');
      const { subject } = app;
      expect(await berth.call('volumeBackup.volumes', subject)).toEqual([
        { volumeName: 'data', mountPaths: ['/data'] },
      ]);
      const before = await inside(app.appName, describeFiles);
      const run = await good(backUp(subject, 'running'));
      expect(stepsOf(run)).toEqual([
        'dump done',
        'compress done',
        'upload done',
        'verify done',
        'record done',
      ]);
      expect(await inside(app.appName, describeFiles)).toBe(before);

      await inside(app.appName, 'rm -rf /data/sub && printf new > /data/new');
      const restored = await good(restore(subject, run.path));
      expect(stepsOf(restored)).toEqual(['find done', 'load done', 'check done', 'change over done']);
      expect(await inside(app.appName, describeFiles)).toBe(before);
      const former = `berth-${app.id}-data`;
      const present = `${former}.restored-${restored.backupRunId}`;
      expect(restored.previousVolume).toBe(former);
      expect(await volumesOf(app)).toEqual([former, present]);
      expect(await berth.call('cleanup.formerVolumes')).toMatchObject([
        { applicationId: app.id, name: 'files', volumeName: former },
      ]);

      // Every later release has it, also one of before.
      const [, first] = (await app.view()).deployments;
      await app.deploy();
      expect(await inside(app.appName, describeFiles)).toBe(before);
      await berth.call('deployment.rollback', { deploymentId: first?.deploymentId });
      await berth.settled(app.id);
      expect(await inside(app.appName, describeFiles)).toBe(before);

      await app.do('volumeBackup.removeFormerVolume', { volumeName: former });
      expect(await volumesOf(app)).toEqual([present]);
      expect(await berth.call('cleanup.formerVolumes')).toEqual([]);
      expect(
        await berth.ask('volumeBackup.removeFormerVolume', { ...subject, volumeName: present }),
      ).toMatchObject({ status: 400 });
      expect(await left()).toEqual([]);
    });

    it('are read while the service is stopped or paused, which goes on then', async () => {
      const app = await keeper('held');
      const before = await app.state();
      const paused = await good(backUp(app.subject, 'paused'));
      expect(stepsOf(paused).slice(3, 5)).toEqual(['pause the service done', 'let the service go on done']);
      expect((await app.state()).host).toBe(before.host);
      const stopped = await good(backUp(app.subject, 'stopped'));
      expect(stepsOf(stopped).slice(3, 5)).toEqual(['stop the service done', 'start the service done']);
      expect((await app.state()).host).not.toBe(before.host);
      expect(await app.view()).toMatchObject({ applicationStatus: 'done' });
      await app.do('application.stop');
      const idle = await good(backUp(app.subject, 'stopped'));
      expect(stepsOf(idle)).not.toContain('start the service done');
      expect(await app.view()).toMatchObject({ applicationStatus: 'idle' });
    });

    it('stay as they are when the object is none of a volume', async () => {
      const app = await keeper('wrong');
      const before = await inside(app.appName, describeFiles);
      await output(berth.host, 'sh', '-c', `echo this is no archive | gzip > ${files}/no-archive.tar.gz`);
      const run = await restore(app.subject, 'no-archive.tar.gz');
      expect(run).toMatchObject({ status: 'error', previousVolume: null });
      expect(run.errorMessage).toMatch(/tar|busybox/);
      expect(await inside(app.appName, describeFiles)).toBe(before);
      expect(await volumesOf(app)).toEqual([`berth-${app.id}-data`]);
      expect(await left()).toEqual([]);
    });
  });

  it('a volume that outlived its service is given to another one, which can go back', async () => {
    const former = await keeper('outlived');
    const before = await inside(former.appName, describeFiles);
    const keptVolume = `berth-${former.id}-data`;
    expect(await former.do('application.delete')).toMatchObject({ keptVolumes: [keptVolume] });
    expect(await berth.call('cleanup.keptVolumes')).toMatchObject([
      { volumeName: keptVolume, kind: 'application', serviceId: former.id, deletedAt: expect.any(String) },
    ]);

    const made = await shop.fromImage('next', nodeCommand('next'));
    const next = Object.assign(made, { subject: { applicationId: made.id } });
    await next.do('mount.create', { type: 'volume', volumeName: 'data', mountPath: '/data' });
    const use = async (): Promise<RunView> => {
      const given = { ...next.subject, volumeName: 'data', keptVolume };
      const { backupRunId } = await berth.call<RunView>('volumeBackup.useKeptVolume', given);
      return good(ended(next.subject, backupRunId));
    };
    // Before its first deployment, so that there is nothing to go back to.
    expect(await use()).toMatchObject({ operation: 'return', previousVolume: null });
    await next.deploy();
    expect(await inside(next.appName, describeFiles)).toBe(before);
    expect(await berth.call('cleanup.keptVolumes')).toEqual([]);
    expect(await next.do('application.delete')).toMatchObject({ keptVolumes: [keptVolume] });

    const last = await keeper('last');
    const own = await inside(last.appName, describeFiles);
    const given = { ...last.subject, volumeName: 'data', keptVolume };
    const { backupRunId } = await berth.call<RunView>('volumeBackup.useKeptVolume', given);
    const run = await good(ended(last.subject, backupRunId));
    expect(run.previousVolume).toBe(`berth-${last.id}-data`);
    expect(await inside(last.appName, describeFiles)).toBe(before);
    const undone = await berth.call<RunView>('backup.undoRestore', { backupRunId });
    await good(ended(last.subject, undone.backupRunId));
    expect(await inside(last.appName, describeFiles)).toBe(own);
    await last.do('application.delete', { deleteVolumes: true });
    expect(await berth.call('cleanup.keptVolumes')).toMatchObject([{ volumeName: keptVolume }]);
    await berth.call('cleanup.removeKeptVolume', { volumeName: keptVolume });
    expect(await berth.call('cleanup.keptVolumes')).toEqual([]);
  });

  it('volumes of a compose service come back, too', async () => {
    const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
      name: 'stack',
      appName: 'stack',
      environmentId: shop.environmentId,
    });
    const subject = { composeId };
    await berth.call('compose.update', {
      ...subject,
      sourceType: 'raw',
      composeFile: [
        'services:',
        '  web:',
        '    image: berth/node:24',
        `    command: ${JSON.stringify(['sh', '-c', 'sleep infinity'])}`,
        '    init: true',
        '    volumes: [data:/data]',
        'volumes:',
        '  data:',
      ].join('\n'),
    });
    await berth.call('compose.deploy', subject);
    const [deployment] = await berth.call<{ deploymentId: string }[] & Record<string, unknown>>(
      'deployment.all',
      subject,
    );
    const deployed = await deploymentEnded(berth, 'stack', deployment?.deploymentId ?? '');
    expect(deployed.errorMessage).toBeNull();
    await inside('stack_web', oddFiles);
    const before = await inside('stack_web', describeFiles);
    const run = await good(backUp(subject, 'stopped'));
    expect(await inside('stack_web', describeFiles)).toBe(before);
    await inside('stack_web', 'rm -rf /data/*');
    const restored = await good(restore(subject, run.path));
    expect(restored.previousVolume).toBe(`berth-${composeId}-data`);
    expect(await inside('stack_web', describeFiles)).toBe(before);
  });

  redisTests(() => ({ berth, files, backUp, restore, left }));

  // Last, since whatever runs beside it would be killed, too.
  it('Berth killed while a service is stopped makes the backup after its restart and starts it', async () => {
    const app = await keeper('killed');
    await inside(app.appName, 'head -c 200000000 /dev/urandom > /data/much');
    const { volumeBackupId } = await berth.call<{ volumeBackupId: string }>('volumeBackup.create', {
      ...app.subject,
      volumeName: 'data',
      destinationId,
      schedule: '0 3 1 1 *',
      serviceDuring: 'stopped',
    });
    const { backupRunId } = await berth.call<{ backupRunId: string }>('volumeBackup.run', { volumeBackupId });
    await until('it is being read', async () => (await left()).length > 0, longMs, 100);
    await berth.kill();
    await berth.start();
    const run = await good(ended(app.subject, backupRunId));
    expect(await logOf(berth, run.backupRunId)).toMatch(/Berth was restarted during the step/);
    await until('it answers again', async () => (await app.answer()).status === 200);
    expect(await left()).toEqual([]);
  });

  it('nothing of all this was a fault', () => expectCalmLog(berth, []));
});
