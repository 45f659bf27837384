/** What Berth makes of a file: the plan that its deployments follow. */
import type {
  ComposePlan,
  PlannedMount,
  PlannedService,
} from '../../../server/src/modules/compose/translation/plan.ts';
import { translate } from '../../../server/src/modules/compose/translation/translate.ts';
import { readLinkedFiles } from '../../../server/src/modules/compose/translation/whole/linked-files.ts';
import { environmentOf } from '../../../server/src/modules/compose/translation/environment.ts';
import { readEnvFile } from '../../../server/src/domain/variables/env-expansion.ts';
import type { CorpusFile } from './corpus.ts';
import { ownPath, plain, trimmed, type Meaning, type Meanings } from './meaning.ts';

export interface Ours {
  meanings: Meanings;
  notes: string[];
}

/** As a repository with these files; a text where it is refused. */
export async function ours({ files }: CorpusFile): Promise<Ours | string> {
  const field = 'composePath';
  const text = files['compose.yml'] ?? '';
  try {
    const variables = Object.fromEntries(readEnvFile(files['.env'] ?? '', field, () => undefined));
    const linked = await readLinkedFiles(text, {
      field,
      folder: '',
      read: async (path) => files[path],
    });
    const plan = translate({
      text,
      field,
      folder: '',
      files: linked,
      variables,
      blocks: { project: '', environment: '', service: '' },
    });
    return { meanings: await meaningsOf(plan, files, variables), notes: plan.notes };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function meaningsOf(
  { services }: ComposePlan,
  files: CorpusFile['files'],
  variables: Record<string, string>,
): Promise<Meanings> {
  const meanings: Meanings = {};
  for (const service of services) {
    const environment = await environmentOf(service, {
      field: 'composePath',
      variables,
      textOf: async (path) => files[path.replace(/^\.\//, '')],
      missing: (path) => `there is no file ${path}`,
    });
    meanings[service.name] = { ...meaningOf(service, variables), environment };
  }
  return meanings;
}

const meaningOf = (service: PlannedService, variables: Record<string, string>): Meaning => ({
  ...programOf(service, variables),
  ...storageOf(service),
  ...networkOf(service),
  ...lifeOf(service),
  ...optionsOf(service),
});

function programOf({ build, ...service }: PlannedService, variables: Record<string, string>): Meaning {
  return {
    image: service.image,
    build: build && {
      context: ownPath(build.context),
      dockerfile: build.inline === undefined ? build.dockerfile : undefined,
      inline: build.inline,
      target: build.target,
      args: Object.fromEntries(build.arguments.map(([name, value]) => [name, value ?? variables[name]])),
    },
    command: service.command,
    entrypoint: service.entrypoint,
    labels: service.labels,
    logging: service.logging,
  };
}

function storageOf(service: PlannedService): Meaning {
  const shared = service.mounts.find(({ target }) => target === '/dev/shm');
  return {
    volumes: service.mounts
      .filter((mount) => mount !== shared)
      .map(mountText)
      .toSorted(),
    shm_size: shared?.type === 'tmpfs' ? shared.sizeBytes : undefined,
    configs: filesOf(service, false),
    secrets: filesOf(service, true),
  };
}

function networkOf({ ports, container, aliases, network }: PlannedService): Meaning {
  return {
    network_mode: network,
    ports: ports.map(({ published, target, protocol }) => `${published}:${target}/${protocol}`).toSorted(),
    hostname: container.hostname,
    extra_hosts: container.hosts?.map(({ name, address }) => `${name}=${address}`).toSorted(),
    dns: container.dns?.servers,
    dns_search: container.dns?.search,
    dns_opt: container.dns?.options,
    aliases: [...new Set(aliases)].toSorted(),
  };
}

function lifeOf(service: PlannedService): Meaning {
  const { healthCheck } = service;
  return {
    depends_on: Object.fromEntries(
      service.dependsOn.map(({ service: name, condition }) => [name, condition]),
    ),
    restart: restartOf(service),
    healthcheck:
      typeof healthCheck === 'object'
        ? {
            test: healthCheck.test,
            interval: healthCheck.intervalMs,
            timeout: healthCheck.timeoutMs,
            retries: healthCheck.retries,
            start_period: healthCheck.startPeriodMs,
            start_interval: healthCheck.startIntervalMs,
          }
        : healthCheck,
    stop_signal: service.container.stopSignal,
    stop_grace_period: service.stopGracePeriodMs,
    scale: service.replicas,
  };
}

function optionsOf({ container, limits, reservations, sysctls }: PlannedService): Meaning {
  return {
    user: container.user,
    working_dir: container.workingDirectory,
    init: container.init,
    read_only: container.readOnly,
    tty: container.tty,
    stdin_open: container.stdinOpen,
    group_add: container.groups?.toSorted(),
    cap_add: container.capabilitiesAdded?.toSorted(),
    cap_drop: container.capabilitiesDropped?.toSorted(),
    security_opt: {
      'no-new-privileges': container.noNewPrivileges,
      seccomp:
        container.seccomp === undefined || container.seccomp === 'unconfined'
          ? container.seccomp
          : 'a profile',
      apparmor: container.apparmor,
    },
    sysctls,
    ulimits: Object.fromEntries(
      (container.ulimits ?? []).map(({ name, soft, hard }) => [name, `${soft}:${hard}`]),
    ),
    cpus: limits.nanoCpus === undefined ? undefined : limits.nanoCpus / 1e9,
    mem_limit: limits.memoryBytes,
    mem_reservation: reservations.memoryBytes,
    pids_limit: limits.pids,
  };
}

const filesOf = ({ files }: PlannedService, isSecret: boolean): string[] =>
  files
    .filter((file) => file.isSecret === isSecret)
    .map(({ target, mode }) => (mode === undefined ? target : `${target} 0${mode.toString(8)}`))
    .toSorted();

function mountText(mount: PlannedMount): string {
  const what =
    mount.type === 'own'
      ? `own:${ownPath(mount.path)}`
      : mount.type === 'bind'
        ? `bind:${trimmed(mount.path)}`
        : mount.type === 'tmpfs'
          ? 'tmpfs'
          : volumeText(mount);
  return `${what} ${trimmed(mount.target)}${mount.readOnly ? ' ro' : ''}`;
}

function volumeText({
  name,
  isForeign,
  isUnnamed,
  driverOptions,
}: PlannedMount & { type: 'volume' }): string {
  if (driverOptions?.['type'] === 'tmpfs') return 'tmpfs';
  const source = isForeign ? `=${name}` : isUnnamed === true ? '' : name;
  return `volume:${source}${driverOptions ? JSON.stringify(plain(driverOptions)) : ''}`;
}

function restartOf({ isOneShot, mayEnd, retries }: PlannedService): string {
  if (isOneShot) return retries > 0 ? 'on-failure' : 'no';
  return mayEnd ? 'may end' : 'always';
}
