/** The container of a builder, as the engine API's `POST /containers/create` takes it. */
import { builderLabel, builderSpecLabel, containerLabel, managedLabel } from '../../domain/names/labels.ts';
import { createHash } from 'node:crypto';
import { ownedLabels, type Owner } from '../engine/services/ownership.ts';
import type { BuilderWalls } from '../../ports/engine/build-engine.ts';
import type { BuildLimits } from '../../ports/engine/builder.ts';

export interface BuilderContainer {
  /** Also of the volume with its cache. */
  name: string;
  organizationId: string;
  image: string;
  /** Folder of the host for its sockets. */
  hostFolder: string;
  walls: BuilderWalls;
}

/** What the engine itself takes besides its steps: memory in bytes, processor time in nano-CPUs. */
const ownMemory = 768 * 1024 * 1024;
const ownNanoCpus = 1e9;
/** Processes of all steps together, and those of the engine besides. */
const stepPids = 2048;
const ownPids = 1024;
const periodUs = 100_000;

const namePrefix = 'berth-builder-';

/** Name of an organization's builder and of its cache, which is no other installation's name as well. */
export const nameOf = ({ installation }: Owner, organizationId: string): string =>
  `${formerNameOf(organizationId)}-${installation}`;

/** Its name from before names had the installation's id. */
export const formerNameOf = (organizationId: string): string => `${namePrefix}${organizationId}`;

/** The organization whose builder of this installation has such a name. */
export function organizationOf({ installation }: Owner, name: string): string | undefined {
  if (!name.startsWith(namePrefix)) return undefined;
  const suffix = `-${installation}`;
  return name.slice(namePrefix.length, name.endsWith(suffix) ? -suffix.length : undefined);
}

/**
 * Not privileged: the devices of the machine stay closed, and of its capabilities an engine gets those that
 * mounts (SYS_ADMIN), networks (NET_ADMIN) and entering user namespaces of its steps (SYS_PTRACE, in its own
 * process namespace) take. The device rule is for the tunnel that runc allows each container.
 */
export function containerSpec(owner: Owner, container: BuilderContainer): Record<string, unknown> {
  const { name, organizationId, image, hostFolder, walls } = container;
  const specWith = (labels: Record<string, string>) => ({
    Image: image,
    Env: environmentOf(walls),
    HostConfig: {
      CapAdd: ['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE'],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      MaskedPaths: [],
      ReadonlyPaths: [],
      CgroupnsMode: 'private',
      DeviceCgroupRules: ['c 10:200 rwm'],
      PidsLimit: stepPids + ownPids,
      NetworkMode: 'bridge',
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '2' } },
      Mounts: [
        { Type: 'bind', Source: hostFolder, Target: '/run/builder' },
        {
          Type: 'volume',
          Source: name,
          Target: '/var/lib/docker',
          VolumeOptions: { Labels: labels },
        },
      ],
    },
  });
  const labels = { [managedLabel]: 'true', [builderLabel]: organizationId };
  const owned = ownedLabels(owner, labels);
  // The owner is no part of it: a builder that is there already must not be made anew for it.
  const digest = createHash('sha256')
    .update(JSON.stringify(specWith(labels)))
    .digest('hex');
  return { ...specWith(owned), Labels: { ...owned, [containerLabel]: name, [builderSpecLabel]: digest } };
}

/** The container's own limits around those of its steps; a body of `POST /containers/{id}/update`. */
export function containerLimits(running: Iterable<BuildLimits>): Record<string, number> {
  let [memory, nanoCpus] = [ownMemory, ownNanoCpus];
  for (const limits of running) {
    memory += limits.memoryBytes;
    nanoCpus += limits.nanoCpus;
  }
  // As a quota, since an engine refuses more CPUs than the machine has.
  const quota = Math.round((nanoCpus / 1e9) * periodUs);
  return { Memory: memory, MemorySwap: memory, CpuPeriod: periodUs, CpuQuota: quota };
}

function environmentOf({ never, open, closed, host, hostPorts }: BuilderWalls): string[] {
  const list = (values: readonly (string | number)[]): string => [...new Set(values)].join(' ');
  return [
    `BERTH_NEVER=${list(never)}`,
    `BERTH_OPEN=${list(open)}`,
    `BERTH_CLOSED=${list(closed)}`,
    `BERTH_HOST=${list([...host].sort())}`,
    `BERTH_HOST_PORTS=${list(hostPorts)}`,
    `BERTH_STEP_PIDS=${stepPids}`,
  ];
}
