import { afterEach, expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace, otherServices } from '../../../../test/http/places.ts';
import { createDeploymentDesk, type DeploymentDesk } from '../../../../test/store/deployment-desk.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import {
  operationPairs,
  operationPhases,
  serviceOperations,
  type EndingOperation,
  type OperationPhase,
  type PairOutcome,
  type ServiceOperation,
} from '../../domain/states/operation-pairs.ts';
import {
  applicationRef,
  deployedKinds,
  type DeployedKind,
  type ServiceRef,
} from '../../domain/names/service-ref.ts';
import { randomId } from '../../ports/clock.ts';

const ownerEmail = 'ann@shop.test';

/** What comes and is answered only after what is in progress has gone on. */
const waitsFor: readonly PairOutcome['comes'][] = ['queued', 'acts'];

/** A one-off command touches no deployment; it takes an engine to show that. */
const withoutEngine = (operation: ServiceOperation): boolean => operation !== 'run';

eachDatabase('an operation that comes while another is in progress', ({ open }) => {
  const desks: DeploymentDesk[] = [];
  afterEach(async () => {
    for (const { worker } of desks.splice(0)) await worker.stop(60_000);
  });

  async function begin() {
    const database = await open();
    const people = await createPeople(database);
    const { organizationId } = people.owner;
    const place = await createPlace(database, people.owner, 'shop');
    const desk = createDeploymentDesk(database);
    desks.push(desk);
    desk.worker.start();
    const { userId } = people.owner;
    await desk.stores.users.users.update({ userId }, { email: ownerEmail });
    const application = async (): Promise<string> =>
      (
        await desk.applications.create({
          organizationId,
          environmentId: place.environmentId,
          name: `a${randomId(6)}`,
        })
      ).applicationId;
    const create: Record<DeployedKind, () => Promise<string>> = {
      application,
      database: async () => (await otherServices(database, organizationId, place.environmentId)).redis,
      compose: async () => (await otherServices(database, organizationId, place.environmentId)).compose,
      async previewDeployment() {
        const previewDeploymentId = randomId();
        await desk.stores.previewDeployments.insert({
          previewDeploymentId,
          organizationId,
          applicationId: await application(),
          branch: 'b',
          pullRequestNumber: 1,
          name: null,
          image: null,
          expiresAt: null,
          domain: '',
          domainId: null,
          status: 'stopped',
          createdAt: '',
          appName: randomId(),
          commit: null,
          repository: '',
          provider: 'github',
          isTrusted: true,
          isFork: false,
          liveDeploymentId: null,
          releasedAppName: null,
          isStopped: false,
          commentId: null,
          commentDigest: null,
        });
        return previewDeploymentId;
      },
    };
    return { ...desk, userId, create };
  }
  type Desk = Awaited<ReturnType<typeof begin>>;

  /** Brings something of the service into the phase; gives how it ends, and what lets it go on. */
  const bring: Record<
    OperationPhase,
    (desk: Desk, service: ServiceRef) => Promise<{ goOn(): void; end(): Promise<string> }>
  > = {
    async queued(desk, service) {
      await desk.takeJobs(false);
      const deployment = await deployed(desk, service);
      return { ...deployment, goOn: () => (void desk.takeJobs(true), deployment.goOn()) };
    },
    async waiting(desk, service) {
      const blocker = await desk.create.application();
      await desk.deploy(applicationRef(blocker));
      await desk.gates.reached(blocker, 'build');
      const deployment = await deployed(desk, service);
      await desk.says(deployment.deploymentId, 'Waiting');
      return {
        ...deployment,
        goOn() {
          for (const stage of ['build', 'await-healthy'] as const) desk.gates.open(blocker, stage);
          deployment.goOn();
        },
      };
    },
    async building(desk, service) {
      const deployment = await deployed(desk, service);
      await desk.gates.reached(service.serviceId, 'build');
      return deployment;
    },
    async releasing(desk, service) {
      desk.gates.open(service.serviceId, 'build');
      const deployment = await deployed(desk, service);
      await desk.gates.reached(service.serviceId, 'await-healthy');
      return deployment;
    },
    async 'by-hand'(desk, service) {
      const begun = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const stopping = desk.interruption.endThen(
        service,
        { operation: 'stop', userId: desk.userId },
        async () => {
          begun.resolve();
          await gate.promise;
        },
      );
      await begun.promise;
      return {
        goOn() {
          for (const stage of ['build', 'await-healthy'] as const) desk.gates.open(service.serviceId, stage);
          gate.resolve();
        },
        end: () => stopping.then(() => 'goes on'),
      };
    },
  };
  async function deployed(desk: Desk, service: ServiceRef) {
    const deploymentId = await desk.deploy(service);
    return {
      deploymentId,
      goOn() {
        for (const stage of ['build', 'await-healthy'] as const) desk.gates.open(service.serviceId, stage);
      },
      async end() {
        const { status, errorMessage } = await desk.until(deploymentId, (row) => row.finishedAt !== null);
        return status === 'done' ? 'goes on' : `${status}: ${errorMessage ?? ''}`;
      },
    };
  }

  /** What comes; gives what became of it, before and after what is in progress went on. */
  async function come(
    desk: Desk,
    service: ServiceRef,
    { operation, phase }: { operation: ServiceOperation; phase: OperationPhase },
  ) {
    const { interruption, deployments } = desk;
    let acted = false;
    const act = async (): Promise<void> => {
      acted = true;
    };
    switch (operation) {
      case 'deploy':
      case 'redeploy':
      case 'rollback':
      case 'rebuild':
      case 'upgrade': {
        const id = await desk.deploy(service);
        // Its job is taken, and waits for what is done by hand.
        if (phase === 'by-hand') await desk.taken(service);
        return {
          atOnce: (await desk.until(id, () => true)).status,
          end: async () => (await desk.until(id, (row) => row.finishedAt !== null)).status,
        };
      }
      case 'start':
      case 'stop':
      case 'delete':
      case 'remove': {
        const ending: EndingOperation = operation;
        const asked = interruption.endThen(service, { operation: ending, userId: desk.userId }, async () => {
          acted = !(await deployments.isWorking(service));
        });
        return { atOnce: '', end: () => asked.then(() => (acted ? 'acts' : 'nothing')) };
      }
      case 'reload': {
        const asked = interruption.unlessDeploying(service, act).then(
          () => 'acts',
          (error: Error) => `refused: ${error.message}`,
        );
        return { atOnce: '', end: () => asked };
      }
      case 'killBuild': {
        const isKilled = await interruption.killBuild(service);
        return { atOnce: '', end: async () => (isKilled ? 'acts' : 'nothing') };
      }
      case 'cleanQueues': {
        const cancelled = await interruption.cancelWaiting(service, async () => false);
        return { atOnce: '', end: async () => (cancelled > 0 ? 'acts' : 'nothing') };
      }
      case 'run':
        throw new Error('needs an engine');
    }
  }

  /** What became of both. */
  async function outcomeOf(kind: DeployedKind, phase: OperationPhase, operation: ServiceOperation) {
    const desk = await begin();
    const expected = operationPairs[operation][phase];
    const service: ServiceRef = { kind, serviceId: await desk.create[kind]() };
    const present = await bring[phase](desk, service);
    const coming = await come(desk, service, { operation, phase });
    // What is ended does not need to be let go on, and what has nothing to wait for is answered before.
    const ended = expected.present === 'goes on' ? undefined : await present.end();
    const answered = waitsFor.includes(expected.comes) ? undefined : await coming.end();
    present.goOn();
    return {
      present: ended ?? (await present.end()),
      comes: answered ?? (await coming.end()),
      atOnce: coming.atOnce,
      isWorking: await desk.deployments.isWorking(service),
      status: (await desk.services[kind].find(service.serviceId))?.status,
    };
  }

  function expectedOf(phase: OperationPhase, operation: ServiceOperation) {
    const { comes, present } = operationPairs[operation][phase];
    const isEnding = present === 'cancelled' && operation !== 'cleanQueues';
    return {
      present: expect.stringMatching(
        new RegExp(isEnding ? `^cancelled: Ended by ${operation} of ${ownerEmail}.$` : `^${present}`),
      ),
      comes: expect.stringMatching(new RegExp(comes === 'queued' ? '^done$' : `^${comes}`)),
      atOnce: comes === 'queued' ? 'queued' : '',
      isWorking: false,
      status: expect.stringMatching(/^(idle|done|error)$/),
    };
  }

  for (const kind of deployedKinds) {
    const phases = operationPhases.filter(
      (phase) => kind !== 'database' || !['waiting', 'building'].includes(phase),
    );
    for (const operation of serviceOperations[kind].filter(withoutEngine))
      it.each(phases.map((phase) => [phase]))(
        `${kind}: ${operation} while something is %s`,
        async (phase) => {
          expect(await outcomeOf(kind, phase, operation)).toEqual(expectedOf(phase, operation));
        },
      );
  }
});
