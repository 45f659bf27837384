/** Starts and stops a preview by hand. */
import type { ApplicationRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import { statusAfter } from '../../domain/states/lifecycle.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { previewRef } from '../../domain/names/service-ref.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { DeployedServices } from '../deployment/deployment.ts';
import type { ServiceOutput } from '../service/output-events.ts';
import {
  awaitEnded,
  awaitRunning,
  followOutput,
  nameOf,
  ownService,
  readOutput,
  type PossibleEngine,
} from '../service/own-service.ts';
import type { Turns } from '../service/turns.ts';
import type { PreviewDeploymentRecord } from './store.ts';

export interface PreviewRuntime {
  /** Starts its live release again; throws PRECONDITION_FAILED before the first one. */
  start(application: ApplicationRecord, preview: PreviewDeploymentRecord): Promise<void>;
  /** Keeps its volumes and its domain; a new commit of its pull request starts it again. */
  stop(application: ApplicationRecord, preview: PreviewDeploymentRecord): Promise<void>;
  output(application: ApplicationRecord, preview: PreviewDeploymentRecord, tail: number): ServiceOutput;
}

export interface PreviewRuntimeOptions {
  hosts: Hosts;
  turns: Turns;
  /** Previews as deployed services; the comment on the pull request follows their status. */
  services: DeployedServices;
  liveSpec(preview: PreviewDeploymentRecord): Promise<ServiceSpec | undefined>;
}

const reader = 'container.getServiceContainersByAppName';

export function createPreviewRuntime({
  hosts,
  turns,
  services,
  liveSpec,
}: PreviewRuntimeOptions): PreviewRuntime {
  async function settle(
    { previewDeploymentId }: PreviewDeploymentRecord,
    event: 'started' | 'stopped',
  ): Promise<void> {
    const present = await services.find(previewDeploymentId);
    if (present)
      await services.patch(previewDeploymentId, {
        isStopped: event === 'stopped',
        status: statusAfter(event, present.status),
      });
  }
  return {
    start: (application, preview) =>
      turns.take(preview.previewDeploymentId, async () => {
        const spec = await liveSpec(preview);
        if (!spec)
          throw new AppError('PRECONDITION_FAILED', 'The preview has no release yet: redeploy it first.');
        const { engine } = await hosts.of(serverKeyOf(application));
        const present = await engine.service(spec.name);
        if (present?.specDigest === engine.specDigest(spec))
          await engine.scaleService(spec.name, spec.replicas);
        else await engine.applyService(spec);
        await awaitRunning(engine, spec.name, spec.replicas, reader);
        await settle(preview, 'started');
      }),
    stop: (application, preview) =>
      turns.take(preview.previewDeploymentId, async () => {
        const host = await hosts.find(serverKeyOf(application));
        const owned = { ...preview, ...previewRef(preview.previewDeploymentId) };
        if (host && (await ownService(host.engine, owned))) {
          await host.engine.scaleService(nameOf(owned), 0);
          await awaitEnded(host.engine, nameOf(owned), reader);
        }
        await settle(preview, 'stopped');
      }),
    output(application, preview, tail) {
      const owned = { ...preview, ...previewRef(preview.previewDeploymentId) };
      const engine = async (): Promise<PossibleEngine> =>
        (await hosts.find(serverKeyOf(application)))?.engine;
      return {
        read: async ({ since }) => readOutput(await engine(), owned, { tail, since }),
        async *follow(options) {
          yield* followOutput(await engine(), owned, { tail, ...options });
        },
      };
    },
  };
}
