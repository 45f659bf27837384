/**
 * The last wall before the machine (decisions 2): an engine that is asked for no service that reaches the
 * machine without an approval, whichever way of deploying it came by.
 */
import { listed, uncovered, type Danger } from '../../domain/access/danger.ts';
import { onOwnServer } from '../../domain/access/permissions.ts';
import { AppError } from '../../domain/errors.ts';
import { ownerOfLabels, type ServiceRef } from '../../domain/names/service-ref.ts';
import { dangersOfSpec, type OwnMounts } from '../../modules/host-reach/dangers.ts';
import type { Approvals } from '../../modules/host-reach/host-reach.ts';
import type { Places } from '../../modules/host-reach/places.ts';
import type { Engine, ServiceSpec } from '../../ports/engine/engine.ts';

/** FORBIDDEN with the dangers and the way out for a service that nobody let reach the machine. */
export type Judge = (spec: ServiceSpec) => Promise<void>;

export interface JudgeParts {
  approvals: Pick<Approvals, 'find' | 'reachesServer' | 'unapproved'>;
  /** Of the engine's machine. */
  serverKey: string;
  places: Pick<Places, 'seen'>;
  own: OwnMounts;
  /** What a release that has ended well runs; none when it is not known. */
  released(service: ServiceRef, deploymentId: string): Promise<ServiceSpec[]>;
}

/** The engine, with every service that it is asked for judged before. */
export function judgedEngine(engine: Engine, judge: Judge): Engine {
  return {
    ...engine,
    async applyService(spec) {
      await judge(spec);
      return engine.applyService(spec);
    },
    async runTask(spec, options) {
      await judge(spec);
      return engine.runTask(spec, options);
    },
  };
}

export function createJudge({ approvals, serverKey, places, own, released }: JudgeParts): Judge {
  /** What runs already keeps running, and comes back after a restart, until it is deployed again. */
  async function isLive(
    spec: ServiceSpec,
    service: ServiceRef,
    dangers: readonly Danger[],
  ): Promise<boolean> {
    if (spec.release === undefined) return false;
    const known = await approvals.find(service);
    if (!known || known.liveDeploymentId === null || known.serverKey !== serverKey) return false;
    // What a release of a compose service did not change bears the release that it came with.
    const had = (await released(service, known.liveDeploymentId))
      .filter(({ release }) => release === spec.release)
      .flatMap((one) => dangersOfSpec(one, service, own));
    return uncovered(dangers, had).length === 0;
  }

  return async (spec) => {
    const service = ownerOfLabels(spec.labels);
    // Without an owner it is the platform's own, which only Berth itself makes.
    if (!service) return;
    const dangers = dangersOfSpec(spec, service, own);
    if (dangers.length === 0 || (await isLive(spec, service, dangers))) return;
    const seen = await places.seen(dangers, spec.name);
    const asked = await withoutOwnPorts(approvals, serverKey, service, seen);
    // While it moves its record names the machine that it was approved for.
    const isThere = (await approvals.find(service))?.serverKey === serverKey;
    const left = isThere ? await approvals.unapproved(service, asked) : asked;
    if (left.length > 0) throw refusal(service, left);
  };
}

/**
 * A port below 1024 of an application or a database is set by a person with host reach; that of a file needs
 * an approval.
 */
async function withoutOwnPorts(
  { find, reachesServer }: JudgeParts['approvals'],
  serverKey: string,
  service: ServiceRef,
  dangers: readonly Danger[],
): Promise<readonly Danger[]> {
  const known = service.kind === 'compose' ? undefined : await find(service);
  return known && (await reachesServer(known.organizationId, serverKey))
    ? dangers.filter(({ what }) => what !== 'port')
    : dangers;
}

const waysOut = {
  application: 'saves the mount again with mount.update {mountId, hostPath}, or it is removed',
  database: 'saves the mount again with mount.update {mountId, hostPath}, or it is removed',
  compose:
    'looks at compose.one (awaitsApproval) and approves it with compose.approve {composeId, digest}; a ' +
    'mount of the record is saved again with mount.update {mountId, hostPath}',
  previewDeployment: 'removes it from the application',
} as const satisfies Record<ServiceRef['kind'], string>;

/** The dangers, and the way out. */
export function refusal(
  { kind }: Pick<ServiceRef, 'kind'>,
  dangers: readonly Danger[],
  digest?: string,
): AppError {
  // A file's is approved like anything else in it.
  const isOwnPort = kind !== 'compose' && dangers.every(({ what }) => what === 'port');
  const wayOut = isOwnPort
    ? "Ports below 1024 are for services of the installation's organization and of trusted ones, and on " +
      'trusted servers: publish another'
    : `An Owner or Admin of the installation's organization, or of a trusted one${onOwnServer}, ` +
      `${waysOut[kind]}${digest === undefined ? '' : `; the digest is ${digest}`}`;
  return new AppError(
    'FORBIDDEN',
    'This would reach the server itself, and nobody entitled to has approved it: ' +
      `${listed(dangers)}. ${wayOut}. Then deploy again.`,
  );
}
