/** Keeps the platform's network and proxy of a host as they should be. */
import { AppError } from '../domain/errors.ts';
import { proxyServiceName } from '../domain/names/names.ts';
import { composeNetwork } from '../deploy/spec/networks.ts';
import type { Composes } from '../modules/compose/compose.ts';
import type { Begun, Renewals } from '../modules/platform-service/platform-service.ts';
import type { Environments } from '../modules/environment/environment.ts';
import { ownerLabels, ownerOfLabels, type DeployedKind } from '../domain/names/service-ref.ts';
import type { KnownThings } from '../modules/installation/installation.ts';
import { isoTime, type Clock } from '../ports/clock.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';
import type { Host } from '../ports/host/host.ts';
import { waitUntil } from '../ports/wait-until.ts';

export interface Platform {
  /** Corrects network and proxy service; resolves with a sentence for each thing that it had to do. */
  ensure(): Promise<string[]>;
  attachProxy(): Promise<string[]>;
}

export interface PlatformParts {
  proxyImage: string;
  /** The proxy's service on this host. */
  proxySpec(host: Host, image: string): Promise<ServiceSpec>;
  environments: Pick<Environments, 'ids'>;
  composes: Pick<Composes, 'all'>;
  knownThings: Pick<KnownThings, 'adopted' | 'adopt' | 'forgetAdopted'>;
  clock: Clock;
  renewals: Renewals;
  /** Called when it is the turn of this host's proxy to be renewed, so that the host is looked at again. */
  lookAgain(): void;
  /** Remembers the id that an engine gave to a service of the platform. */
  platformServices: { keep(serverKey: string, name: string, id: string): Promise<void> };
}

const settleLimitMs = 60_000;
const answerLimitMs = 5000;
const outcomeLimitMs = 120_000;
const outcomeLookMs = 500;
const imageLimitMs = 10 * 60_000;
/** Kinds of services that domains lead to. */
const routedKinds: ReadonlySet<DeployedKind | undefined> = new Set<DeployedKind>([
  'application',
  'compose',
  'previewDeployment',
]);

export function createPlatform(host: Host, parts: PlatformParts): Platform {
  const { engine, networks, proxy } = host;
  const sayFailure = failureSayer(parts.renewals);
  const keepId = (id: string): Promise<void> => parts.platformServices.keep(host.key, proxyServiceName, id);
  return {
    async ensure() {
      await networks.ensurePlatform();
      const spec = await parts.proxySpec(host, parts.proxyImage);
      const present = await engine.service(proxyServiceName);
      if (present) await keepId(present.id);
      // A proxy that was made without limits runs on until something else renews it.
      const right = [spec, { ...spec, limits: {} }].map((each) => engine.specDigest(each));
      if (present && right.includes(present.specDigest) && present.replicas === 1) {
        await awaitProxy(proxy, present.running === 1 ? answerLimitMs : settleLimitMs);
        return [];
      }
      const apply = async (): Promise<void> => {
        // No registry need have the image: Berth's own machine can send it.
        await host.fetchImage?.(parts.proxyImage, AbortSignal.timeout(imageLimitMs));
        await keepId((await engine.applyService(spec)).id);
        await awaitProxy(proxy, settleLimitMs);
      };
      if (present === undefined) {
        await apply();
        return [`${proxyServiceName}: was missing; created`];
      }
      const begin = async (): Promise<Begun<true>> => {
        await apply();
        return { result: true, outcome: outcomeOf(host, spec) };
      };
      const isDone = await parts.renewals.take(versionOf(spec), begin, parts.lookAgain);
      return isDone ? [`${proxyServiceName}: differed; corrected`] : sayFailure(versionOf(spec));
    },
    async attachProxy() {
      const { removed, left } = await removeOrphans(host, parts);
      const attached = await networks.attachProxy(await routedNetworks(host));
      return [
        ...removed.map((name) => `${name}: its owner no longer exists; removed the network`),
        ...left.map(({ name, why }) => `${name}: its owner no longer exists; ${why}`),
        ...(attached > 0
          ? [
              `${proxyServiceName}: attached it to ${attached} network${attached === 1 ? '' : 's'} of ` +
                'environments',
            ]
          : []),
      ];
    },
  };
}

/** Reports once that a version is no longer tried and the former proxy keeps running. */
export function failureSayer(renewals: Pick<Renewals, 'failure'>): (version: string) => string[] {
  let told: AppError | undefined;
  return (version) => {
    const failure = renewals.failure(version);
    if (failure === undefined || failure === told) return [];
    told = failure;
    return [`${proxyServiceName}: left as it is. ${failure.message}`];
  };
}

/** Identifies the version of the proxy: the same on all machines, although their specifications differ. */
export const versionOf = ({ image, files, command }: ServiceSpec): string =>
  `${proxyServiceName} ${JSON.stringify([image, files, command])}`;

/** Waits for the result; the engine rolls back by itself when the new proxy does not become healthy. */
async function outcomeOf(
  { engine, name }: Pick<Host, 'engine' | 'name'>,
  spec: ServiceSpec,
): Promise<AppError | undefined> {
  const look = async (): Promise<{ failure?: AppError } | undefined> => {
    const present = await engine.service(proxyServiceName);
    if (present === undefined) return {};
    const state = present.update?.state;
    if (state === 'updating' || state === 'rollback_started') return undefined;
    if (present.specDigest === engine.specDigest(spec) && state !== 'paused') return {};
    const failure = new AppError(
      'SERVICE_UNAVAILABLE',
      `The proxy of this version of Berth did not work on ${name} ` +
        `(${present.update?.message ?? 'it ended'}), and the engine put the former one back. Other ` +
        `machines keep theirs. See "docker service ps ${proxyServiceName}" there; Berth ` +
        'tries again in an hour, or when it is started again.',
    );
    return { failure };
  };
  return (await waitUntil(look, { everyMs: outcomeLookMs, limitMs: outcomeLimitMs }))?.failure;
}

/** Networks cannot be labelled later, so those from before there were ids are remembered by their names. */
async function removeOrphans(
  { key, networks }: Host,
  { environments, composes, knownThings, clock }: PlatformParts,
): ReturnType<Host['networks']['removeOrphans']> {
  const adopted = await knownThings.adopted(key);
  const found = await networks.removeOrphans({
    environments: new Set(await environments.ids()),
    composes: new Set((await composes.all()).map(({ composeId }) => composeId)),
    adopted,
  });
  for (const name of found.unlabelled)
    if (!adopted.has(name)) await knownThings.adopt(key, name, isoTime(clock));
  for (const name of found.removed) if (adopted.has(name)) await knownThings.forgetAdopted(key, name);
  return found;
}

/**
 * The networks that services are attached to, not those that their records name: a service that was moved to
 * another environment stays on its former network until it is deployed. The network of a compose service is
 * left out, since nothing else is attached to it.
 */
export async function routedNetworks({ engine }: Pick<Host, 'engine'>): Promise<string[]> {
  const routed = (await engine.services()).filter(({ labels }) =>
    routedKinds.has(ownerOfLabels(labels)?.kind),
  );
  const used = routed.flatMap(({ networks, labels }) =>
    networks.filter((name) => name !== composeNetwork(labels[ownerLabels.compose] ?? '')),
  );
  return [...new Set(used)];
}

/**
 * Waits until the proxy answers on its admin socket. If it does not, the step for the routes reports that.
 */
async function awaitProxy(proxy: Host['proxy'], limitMs: number): Promise<void> {
  await waitUntil(() => proxy.current(), { everyMs: 100, limitMs });
}
