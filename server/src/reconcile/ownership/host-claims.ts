/**
 * Claims hosts for this installation before anything on them is changed: one that belongs to another
 * installation, or to another incarnation that lives, is refused, unless this start adopts it.
 */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import {
  dataFolderLabel,
  incarnationLabel,
  installationLabel,
  managedLabel,
} from '../../domain/names/labels.ts';
import { proxyServiceName } from '../../domain/names/names.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { verdictOf, type Claimant, type Verdict } from './host-mark.ts';
import type { Installation, InstallationStore } from '../../modules/installation/installation.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';

export type ClaimedHost = Pick<Host, 'key' | 'name' | 'engine' | 'folders'>;

export interface HostClaimsDeps {
  installation: Installation;
  records: Pick<InstallationStore, 'incarnations'>;
  platformServices: { idOf(serverKey: string, name: string): Promise<string | undefined> };
  /** Data folder of this Berth. */
  data: string;
  isInUse: Claimant['isInUse'];
  /** Whether this start takes over what another installation holds. */
  adopts: boolean;
  /** Told once for each host that was adopted. */
  onAdopted(sentence: string): void;
}

export interface HostClaims {
  /** Throws CONFLICT with the ways out when the host is another's. */
  require(host: ClaimedHost): Promise<void>;
  /** The same for what only has to be known once by this process. */
  requireOnce(host: ClaimedHost): Promise<void>;
  /**
   * At a start. An engine that does not answer yet is claimed by the reconciler, which changes nothing
   * before. Throws CONFLICT when it is another's.
   */
  requireAtStart(host: ClaimedHost): Promise<void>;
  /** Claims the host; undefined when it is ours, else what is new to tell. */
  refusal(host: ClaimedHost): Promise<string[] | undefined>;
  /** Writes the mark of this incarnation onto the proxy of a claimed host, when there is one. */
  mark(host: ClaimedHost): Promise<void>;
}

/** The engine of a host, which makes nothing there before the host is claimed. */
export function claimedEngine(host: ClaimedHost, claims: Pick<HostClaims, 'requireOnce'>): Engine {
  const { engine } = host;
  return {
    ...engine,
    async applyService(spec) {
      await claims.requireOnce(host);
      return engine.applyService(spec);
    },
    async runTask(spec, options) {
      await claims.requireOnce(host);
      return engine.runTask(spec, options);
    },
    async ensureNetwork(network, choice) {
      await claims.requireOnce(host);
      return engine.ensureNetwork(network, choice);
    },
  };
}

export function createHostClaims(deps: HostClaimsDeps): HostClaims {
  const { installation, data } = deps;
  const marks = {
    [incarnationLabel]: installation.incarnation.incarnationId,
    [dataFolderLabel]: data,
  };
  async function look(host: ClaimedHost): Promise<Verdict> {
    const marked = {
      name: host.name,
      mark: await host.engine.markOf(proxyServiceName),
      proxyFolder: host.folders.proxy,
      isLocal: host.key === localServer,
      recordedId: await deps.platformServices.idOf(host.key, proxyServiceName),
    };
    return verdictOf(marked, { ...deps, incarnations: await deps.records.incarnations() });
  }
  async function mark(host: ClaimedHost, takesForeign: boolean): Promise<void> {
    const present = await host.engine.markOf(proxyServiceName);
    if (present === undefined || present.labels[managedLabel] !== 'true') return;
    const wanted = { [installationLabel]: installation.installationId, ...marks };
    if (Object.entries(wanted).every(([name, value]) => present.labels[name] === value)) return;
    await host.engine.labelService(proxyServiceName, wanted, { takesForeign });
  }
  const claimed = new Set<string>();
  const told = new Map<string, string>();
  async function require(host: ClaimedHost): Promise<void> {
    claimed.delete(host.key);
    const verdict = await look(host);
    const isFree = verdict.kind === 'ours' || verdict.kind === 'free';
    if (!isFree && !deps.adopts) throw new AppError('CONFLICT', verdict.sentence);
    await mark(host, !isFree);
    if (!isFree) deps.onAdopted(`Adopted proxy and packet filter of ${host.name}. ${verdict.sentence}`);
    claimed.add(host.key);
  }
  return {
    require,
    async requireAtStart(host) {
      try {
        await require(host);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
      }
    },
    async refusal(host) {
      try {
        await require(host);
        told.delete(host.key);
        return undefined;
      } catch (error) {
        const sentence = sentenceOf(error);
        const isNew = told.get(host.key) !== sentence;
        told.set(host.key, sentence);
        return isNew ? [sentence] : [];
      }
    },
    requireOnce: async (host) => (claimed.has(host.key) ? undefined : require(host)),
    mark: (host) => mark(host, false),
  };
}
