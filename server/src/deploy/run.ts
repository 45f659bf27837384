/** Runs the deployments of this process: which is where, and how a person ends one. An attempt itself is attempt.ts. */
import type { JobRecord } from '../db/tables.ts';
import { attempt, Killed, type AttemptOptions } from './attempt.ts';
import { buildingStages } from './plans.ts';

export interface DeploymentRunner {
  /** Handler of the queue's `deployment` jobs; returns when the deployment has ended, or when the signal took it away. */
  run(job: JobRecord, signal: AbortSignal): Promise<void>;
  /** Ends the running build of the application, if one is in a building stage; false when nothing is building. */
  killBuild(applicationId: string): Promise<boolean>;
  /** Ends whatever deployment of the application is running here (it is being deleted), and waits for its end. */
  end(applicationId: string, reason: string): Promise<void>;
}

interface Running {
  applicationId: string;
  stage: string;
  kill: AbortController;
  done: Promise<void>;
}

export function createDeploymentRunner(options: AttemptOptions): DeploymentRunner {
  const { applications, deployments } = options;
  const running = new Map<string, Running>();

  async function stop(entries: Running[], reason: string): Promise<void> {
    for (const { kill } of entries) kill.abort(new Killed(reason));
    await Promise.all(entries.map(({ done }) => done));
  }
  const ofApplication = (applicationId: string): Running[] => [...running.values()].filter((entry) => entry.applicationId === applicationId);

  return {
    async run(job, signal) {
      const deployment = await deployments.find(job.payload['deploymentId'] ?? '');
      const application = deployment && (await applications.find(deployment.applicationId));
      if (!deployment || !application || !(await deployments.begin(deployment.deploymentId))) return;
      const { deploymentId } = deployment;
      const kill = new AbortController();
      const entry: Running = { applicationId: application.applicationId, stage: deployment.stage ?? '', kill, done: Promise.resolve() };
      const onStage = (stage: string): void => {
        entry.stage = stage;
      };
      running.set(deploymentId, entry);
      entry.done = attempt(options, { deployment, application, job, signal: AbortSignal.any([signal, kill.signal]), onStage }).finally(() => running.delete(deploymentId));
      await entry.done;
    },
    async killBuild(applicationId) {
      const building = ofApplication(applicationId).filter(({ stage }) => buildingStages.has(stage));
      await stop(building, 'The build was ended by hand (killBuild). Deploy again to go on.');
      return building.length > 0;
    },
    end: (applicationId, reason) => stop(ofApplication(applicationId), reason),
  };
}
