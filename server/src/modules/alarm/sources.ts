/** What is a reason for an alarm: one source for each kind, over facts that others already keep. */
import type { TableRecord } from '../../db/tables.ts';
import type { Live } from '../../domain/states/live.ts';
import type { Clock } from '../../ports/clock.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { subjectOf } from '../../domain/names/backup-subject.ts';
import { taskIdLabel } from '../../domain/names/labels.ts';
import { ownerLabels } from '../../domain/names/service-ref.ts';
import type { UnfinishedDeletion } from '../unfinished-deletion/unfinished-deletion.ts';
import type { AlarmSource, Condition } from './alarm.ts';
import type { AlarmStore, Placed } from './store.ts';

export interface SourcePorts {
  store: AlarmStore;
  clock: Clock;
  /** What runs of each service, by its kind and id. */
  shown(): readonly { kind: string; serviceId: string; live: Live }[];
  /** Hosts that do not answer, and whose they are; the name as people know it. */
  unreachable(): Promise<{ id: string; name: string; organizationId: string; since: string }[]>;
  /** Machines whose engines do not let go of networks without an owner, with a sentence for each network. */
  leftNetworks(): Promise<
    { id: string; name: string; organizationId: string; network: string; why: string }[]
  >;
  /** Networks that have addresses which a route of their machine leads to, with a sentence for each. */
  shadowingNetworks: SourcePorts['leftNetworks'];
  /** Services that no record names, with their machines; `removedAt` is null for a person to remove. */
  unknownServices(): Promise<
    {
      id: string;
      name: string;
      organizationId: string;
      service: string;
      seenAt: string;
      removedAt: string | null;
    }[]
  >;
  /** Deletions whose containers go on. */
  unfinishedDeletions(): Promise<readonly UnfinishedDeletion[]>;
  /** Services that were stopped since they filled a disk, and have not been started since. */
  stoppedWriters(): Promise<readonly TableRecord<'disk_writer'>[]>;
  /** Of all machines, as far as is known. */
  disks(): Promise<readonly MeasuredDisk[]>;
  /** Bytes that stay free on each of them: no deployment may touch them. */
  minFreeDisk(): Promise<number>;
  /** The installation's own organization; undefined before the first account. */
  installation(): Promise<string | undefined>;
}

export interface MeasuredDisk {
  /** Of the machine. */
  id: string;
  /** Of the machine, as people know it. */
  name: string;
  organizationId: string;
  /** Bytes. */
  free: number;
}

const minuteMs = 60_000;
const stuckMs = 30 * minuteMs;
const uploadedMs = 14 * 24 * 60 * minuteMs;
const gigabyte = 1e9;

export function alarmSources(ports: SourcePorts): AlarmSource[] {
  return [
    { kinds: ['serviceDown'], looks: 2, find: () => services(ports) },
    { kinds: ['serverUnreachable'], looks: 3, find: () => servers(ports) },
    { kinds: ['serviceUnknown'], looks: 1, find: () => unknownServices(ports) },
    { kinds: ['networkLeft'], looks: 2, find: () => networks(ports) },
    { kinds: ['networkShadowing'], looks: 1, find: () => shadowing(ports) },
    { kinds: ['deletionUnfinished'], looks: 1, find: () => deletions(ports) },
    { kinds: ['diskNearlyFull'], looks: 2, find: () => disks(ports) },
    { kinds: ['diskWriterStopped'], looks: 1, find: () => writers(ports) },
    { kinds: ['certificateFailed', 'certificateExpiring'], looks: 1, find: () => refused(ports) },
    { kinds: ['uploadedCertificateExpiring'], looks: 1, find: () => uploaded(ports) },
    { kinds: ['backupSilent'], looks: 1, find: () => backups(ports) },
    { kinds: ['backupLocked'], looks: 1, find: () => lockedBackups(ports) },
    { kinds: ['queueStuck'], looks: 2, find: () => queue(ports) },
  ];
}

const placeOf = ({ projectId, environmentId, serviceId }: Placed): Omit<Placed, 'organizationId'> => ({
  projectId,
  environmentId,
  serviceId,
});

/** A deployment that is under way tells of itself; a server that does not answer is an alarm of its own. */
async function services({ shown, store }: SourcePorts): Promise<Condition[]> {
  const ill = shown().flatMap(({ kind, serviceId, live }) => {
    const why = live.unreachableSince === null ? illness(live) : undefined;
    return why === undefined ? [] : [{ kind, serviceId, why }];
  });
  const known = new Map(
    (await store.services(ill.map(({ serviceId }) => serviceId))).map((one) => [one.serviceId, one]),
  );
  return ill.flatMap(({ kind, serviceId, why }) => {
    const service = known.get(serviceId);
    if (!service || service.status === 'running') return [];
    const { organizationId, name } = service;
    return {
      kind: 'serviceDown' as const,
      organizationId,
      subject: { type: kind, id: serviceId, name },
      sentence: `${name} ${why}`,
      ...placeOf(service),
    };
  });
}

function illness({ desired, running, problem, lastExit }: Live): string | undefined {
  const last = lastExit === null ? '' : ` It ended last ${exitWords(lastExit)}.`;
  if (problem === 'out of memory') return `is killed at its memory limit again and again.${last}`;
  if (problem === 'crash loop') return `keeps ending and being restarted.${last}`;
  return desired > 0 && running === 0 ? `is down: none of its ${desired} replicas runs.${last}` : undefined;
}

function exitWords({ exitCode, reason }: NonNullable<Live['lastExit']>): string {
  const words = reason === '' ? '' : ` (${reason})`;
  return exitCode === null ? `without starting${words}` : `with exit code ${exitCode}${words}`;
}

async function servers({ unreachable }: SourcePorts): Promise<Condition[]> {
  return (await unreachable()).map(({ id, name, organizationId, since }) => ({
    kind: 'serverUnreachable' as const,
    organizationId,
    subject: { type: 'server', id, name },
    sentence: `The engine of ${name} has not answered since ${since}. What ran there may still be running.`,
  }));
}

type TroubledNetwork = Awaited<ReturnType<SourcePorts['leftNetworks']>>[number];

const aboutNetwork = ({ id, name, organizationId, network }: TroubledNetwork) => ({
  organizationId,
  subject: { type: 'network', id: `${id} ${network}`, name: `${network} on ${name}` },
});

async function networks({ leftNetworks }: SourcePorts): Promise<Condition[]> {
  return (await leftNetworks()).map((one) => ({
    kind: 'networkLeft' as const,
    ...aboutNetwork(one),
    sentence: `Nobody needs the network ${one.network} any more. ${one.why}`,
  }));
}

async function shadowing({ shadowingNetworks }: SourcePorts): Promise<Condition[]> {
  return (await shadowingNetworks()).map((one) => ({
    kind: 'networkShadowing' as const,
    ...aboutNetwork(one),
    sentence:
      `The network ${one.network} ${one.why}: containers on it do not reach what is there. It stays as it ` +
      'is. Give that network of the machine other addresses, or move the services to a new environment, ' +
      'whose network gets addresses that no route has.',
  }));
}

async function unknownServices({ unknownServices: look }: SourcePorts): Promise<Condition[]> {
  return (await look()).map(({ id, name, organizationId, service, seenAt, removedAt }) => ({
    kind: 'serviceUnknown' as const,
    organizationId,
    subject: { type: 'unknownService', id: `${id} ${service}`, name: `${service} on ${name}` },
    sentence:
      `${service} is a service of this installation, and since ${seenAt} no record names it. ` +
      (removedAt === null
        ? 'It goes on as it is until somebody removes it (cleanup.removeUnknown).'
        : `It was stopped, and is removed on ${removedAt}, or before with cleanup.removeUnknown.`),
  }));
}

async function deletions({ unfinishedDeletions, store }: SourcePorts): Promise<Condition[]> {
  const all = await unfinishedDeletions();
  const placed = new Map(
    (await store.services(all.map(({ serviceId }) => serviceId))).map((one) => [one.serviceId, one]),
  );
  return all.map(({ kind, serviceId, organizationId, name, since, reason }) => {
    const place = placed.get(serviceId);
    return {
      kind: 'deletionUnfinished' as const,
      organizationId,
      subject: { type: kind, id: serviceId, name },
      sentence:
        `${name} was deleted at ${since}, and not everything of it has ended: ${reason} Berth tries again ` +
        'each minute. On its machine this ends it at once: docker ps -aq --filter ' +
        `label=${ownerLabels[kind]}=${serviceId} --filter label=${taskIdLabel} | xargs -r docker rm -f`,
      ...(place ? placeOf(place) : {}),
    };
  });
}

async function writers({ stoppedWriters, store }: SourcePorts): Promise<Condition[]> {
  const all = await stoppedWriters();
  const placed = new Map(
    (await store.services(all.map(({ serviceId }) => serviceId))).map((one) => [one.serviceId, one]),
  );
  return all.flatMap(({ kind, serviceId, grownBytes, freeBytes, keptBytes, since, stoppedAt }) => {
    const service = placed.get(serviceId);
    if (!service) return [];
    const { organizationId, name } = service;
    return {
      kind: 'diskWriterStopped' as const,
      organizationId,
      subject: { type: kind, id: serviceId, name },
      sentence:
        `${name} was stopped at ${stoppedAt}: it had written ${size(grownBytes)} since ${since}, when ` +
        `${size(freeBytes)} of its machine's disk were free and ${size(keptBytes)} must stay free (setting ` +
        'minFreeDisk). Remove what it does not need or make room there ("berth cleanup"), and start it.',
      ...placeOf(service),
    };
  });
}

const size = (bytes: number): string => `${(bytes / gigabyte).toFixed(1)} GB`;

async function disks({ disks: look, minFreeDisk }: SourcePorts): Promise<Condition[]> {
  const kept = await minFreeDisk();
  return (await look())
    .filter(({ free }) => free < 2 * kept)
    .map(({ id, name, organizationId }) => ({
      kind: 'diskNearlyFull',
      organizationId,
      subject: { type: 'server', id, name: `the disk of ${name}` },
      sentence:
        `Less than ${size(2 * kept)} is free.` +
        (id === localServer ? ` Below ${size(kept)} nothing is deployed.` : ''),
    }));
}

async function certificates({ store, clock }: SourcePorts): Promise<Condition[]> {
  return (await store.certificates(clock.now())).map(({ host, status, error, expiresAt, ...place }) => ({
    kind: status === 'failed' ? ('certificateFailed' as const) : ('certificateExpiring' as const),
    organizationId: place.organizationId,
    subject: { type: 'host', id: host, name: host },
    sentence:
      status === 'failed'
        ? `There is no certificate for ${host}. ${error ?? ''}`.trim()
        : `The certificate of ${host} ends at ${isoOf(expiresAt)} and was not renewed. ${error ?? ''}`.trim(),
    ...placeOf(place),
  }));
}

/** Certificates of domains and those of certificate orders. */
async function refused(ports: SourcePorts): Promise<Condition[]> {
  return [...(await certificates(ports)), ...(await orders(ports))];
}

async function orders({ store }: SourcePorts): Promise<Condition[]> {
  const found = await store.failedOrders();
  return found.map(({ organizationId, certificateOrderId, name, error, expirationDate }) => ({
    kind: 'certificateFailed' as const,
    organizationId,
    subject: { type: 'certificateOrder', id: certificateOrderId, name },
    sentence:
      (expirationDate === null
        ? `There is no certificate ${name} yet. `
        : `The certificate ${name} ends at ${expirationDate} and was not renewed. `) + (error ?? ''),
  }));
}

async function uploaded({ store, clock }: SourcePorts): Promise<Condition[]> {
  const found = await store.uploaded(new Date(clock.now() + uploadedMs).toISOString());
  return found.map(({ organizationId, certificateId, name, expirationDate }) => ({
    kind: 'uploadedCertificateExpiring' as const,
    organizationId,
    subject: { type: 'certificate', id: certificateId, name },
    sentence: `The uploaded certificate ${name} ends at ${expirationDate}. Upload its replacement.`,
  }));
}

async function backups({ store }: SourcePorts): Promise<Condition[]> {
  return (await store.silentBackups()).map(({ backupId, lastGoodAt, ...place }) => {
    const name = subjectOf(place);
    return {
      kind: 'backupSilent' as const,
      organizationId: place.organizationId,
      subject: { type: 'backup', id: backupId, name: `backup of ${name}` },
      sentence:
        `The backup of ${name} has had no good run ` +
        (lastGoodAt === null ? 'yet.' : `since ${lastGoodAt}.`),
      ...placeOf(place),
    };
  });
}

async function lockedBackups({ store }: SourcePorts): Promise<Condition[]> {
  return (await store.lockedDestinations()).map(({ organizationId, destinationId, name, recipients }) => ({
    kind: 'backupLocked' as const,
    organizationId,
    subject: { type: 'destination', id: destinationId, name },
    sentence:
      `Backups at ${name} are encrypted for ${recipients.join(', ')}, and Berth has no private key of ` +
      'these: none is restored on trial, and a lost key shows only when a restore needs it. Give the ' +
      'destination the private key, or open a backup by hand from time to time and acknowledge this.',
  }));
}

async function queue({ store, clock, installation }: SourcePorts): Promise<Condition[]> {
  const organizationId = await installation();
  const { count, oldest } = await store.waiting(new Date(clock.now() - stuckMs).toISOString());
  if (organizationId === undefined || count === 0) return [];
  return [
    {
      kind: 'queueStuck',
      organizationId,
      subject: { type: 'installation', id: 'queue', name: 'the queue of jobs' },
      sentence: `Jobs have waited for more than 30 minutes, the oldest since ${oldest ?? ''}.`,
    },
  ];
}

const isoOf = (ms: number | null): string => new Date(Number(ms ?? 0)).toISOString();
