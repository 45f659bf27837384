/** Runs the deployments of this process: which is where, and how a person ends one. An attempt itself is attempt.ts. */
import { ownerOf, serviceKey, type ServiceRef } from '../domain/service-ref.ts';
import type { JobRecord } from '../db/tables.ts';
import { attempt, Killed, type AttemptOptions } from './attempt.ts';
import { buildingStages } from './plans.ts';

export interface DeploymentRunner {
  /** Handler of the queue's `deployment` jobs; returns when the deployment has ended, or when the signal took it away. */
  run(job: JobRecord, signal: AbortSignal): Promise<void>;
  /** Ends the running build of the service, if one is in a building stage; false when nothing is building. */
  killBuild(service: ServiceRef): Promise<boolean>;
  /** Ends whatever deployment of the service is running here (it is being deleted), and waits for its end. */
  end(service: ServiceRef, reason: string): Promise<void>;
}

interface Running {
  service: string;
  stage: string;
  kill: AbortController;
  done: Promise<void>;
}

export function createDeploymentRunner(options: AttemptOptions): DeploymentRunner {
  const { deployments } = options;
  const running = new Map<string, Running>();

  async function stop(entries: Running[], reason: string): Promise<void> {
    for (const { kill } of entries) kill.abort(new Killed(reason));
    await Promise.all(entries.map(({ done }) => done));
  }
  const ofService = (service: ServiceRef): Running[] =>
    [...running.values()].filter((entry) => entry.service === serviceKey(service));

  return {
    async run(job, signal) {
      const deployment = await deployments.find(job.payload['deploymentId'] ?? '');
      if (!deployment || !(await deployments.begin(deployment.deploymentId))) return;
      const { deploymentId } = deployment;
      const kill = new AbortController();
      const entry: Running = {
        service: serviceKey(ownerOf(deployment)),
        stage: deployment.stage ?? '',
        kill,
        done: Promise.resolve(),
      };
      const onStage = (stage: string): void => {
        entry.stage = stage;
      };
      running.set(deploymentId, entry);
      entry.done = attempt(options, {
        deployment,
        job,
        signal: AbortSignal.any([signal, kill.signal]),
        onStage,
      }).finally(() => running.delete(deploymentId));
      await entry.done;
    },
    async killBuild(service) {
      const building = ofService(service).filter(({ stage }) => buildingStages.has(stage));
      await stop(building, 'The build was ended by hand (killBuild). Deploy again to go on.');
      return building.length > 0;
    },
    end: (service, reason) => stop(ofService(service), reason),
  };
}
