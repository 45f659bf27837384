/**
 * The last check before the machine (decisions 2): whichever way a service is deployed, the engine is never
 * asked for one that reaches the machine without an approval.
 */
import { listed, uncovered, type Danger } from '../../domain/access/danger.ts';
import { onOwnServer } from '../../domain/access/permissions.ts';
import { AppError } from '../../domain/errors.ts';
import { ownerOfLabels, type ServiceRef } from '../../domain/names/service-ref.ts';
import { dangersOfSpec, type OwnMounts } from '../../modules/host-reach/dangers.ts';
import type { Approvals } from '../../modules/host-reach/host-reach.ts';
import type { Places } from '../../modules/host-reach/places.ts';
import type { Engine, ServiceSpec } from '../../ports/engine/engine.ts';

/** Throws FORBIDDEN, with the dangers and what to do, for a service without the approval that it needs. */
export type Judge = (spec: ServiceSpec) => Promise<void>;

export interface JudgeParts {
  approvals: Pick<Approvals, 'find' | 'reachesServer' | 'unapproved'>;
  /** The machine of the engine. */
  serverKey: string;
  places: Pick<Places, 'seen'>;
  own: OwnMounts;
  /** The specifications of a successful release; empty when it is not known. */
  released(service: ServiceRef, deploymentId: string): Promise<ServiceSpec[]>;
}

/** The engine, which judges every service before it applies it. */
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
  /** A service that runs already keeps running, also after a restart, until it is deployed again. */
  async function isLive(
    spec: ServiceSpec,
    service: ServiceRef,
    dangers: readonly Danger[],
  ): Promise<boolean> {
    if (spec.release === undefined) return false;
    const known = await approvals.find(service);
    if (!known || known.liveDeploymentId === null || known.serverKey !== serverKey) return false;
    // A service that a compose deployment did not change keeps the label of its former release.
    const had = (await released(service, known.liveDeploymentId))
      .filter(({ release }) => release === spec.release)
      .flatMap((one) => dangersOfSpec(one, service, own));
    return uncovered(dangers, had).length === 0;
  }

  return async (spec) => {
    const service = ownerOfLabels(spec.labels);
    // A service without an owner is the platform's own; no user can create one.
    if (!service) return;
    const dangers = await withoutGiven(approvals, service, dangersOfSpec(spec, service, own));
    if (dangers.length === 0 || (await isLive(spec, service, dangers))) return;
    const seen = await places.seen(dangers, spec.name);
    const asked = await withoutOwnPorts(approvals, serverKey, service, seen);
    // During a move the record still names the former machine, for which the approval was given.
    const isThere = (await approvals.find(service))?.serverKey === serverKey;
    const left = isThere ? await approvals.unapproved(service, asked) : asked;
    if (left.length > 0) throw refusal(service, left);
  };
}

/** A volume of another service that Berth gave it is its own; an organization is given its own alone. */
async function withoutGiven(
  { find }: Pick<JudgeParts['approvals'], 'find'>,
  service: ServiceRef,
  dangers: Danger[],
): Promise<Danger[]> {
  if (!dangers.some(({ what }) => what === 'volume')) return dangers;
  const given = new Set((await find(service))?.givenVolumes);
  return dangers.filter(({ what, value }) => what !== 'volume' || !given.has(value));
}

/**
 * Only a person who may reach the host can set a port below 1024 of an application or a database, so it needs
 * no approval; one in a compose file does.
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

/** The refusal: names the dangers and what to do about them. */
export function refusal(
  { kind }: Pick<ServiceRef, 'kind'>,
  dangers: readonly Danger[],
  digest?: string,
): AppError {
  // A port in a compose file is approved together with the rest of the file.
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
