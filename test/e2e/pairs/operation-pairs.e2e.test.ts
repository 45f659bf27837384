/**
 * Operations that come while another one of the same service is in progress, on a real engine: one cell for
 * each distinct outcome of the table, and with `--long` every cell. What is in progress is held at a gate.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { dockerOf } from '../../bed/docker.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import {
  endOf,
  oneOfEachOutcome,
  outcomeOf,
  pairCells,
  type PairCell,
  type PairEnd,
} from '../../kill-matrix/operation-cells.ts';
import { modeOf } from '../../run/mode.ts';
import type { OperationPhase } from '../../../server/src/domain/states/operation-pairs.ts';
import { berthHost, type Answer, type DeploymentView } from '../fixtures/berth-host.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import {
  deploymentEnded,
  expectCalmLog,
  applicationFixture,
  until,
  type App,
} from '../fixtures/applications.ts';
import { createGate } from '../hostile/gate.ts';
import { createSubject, makeHeldRedis, type PairPlace, type Subject } from './subjects.ts';

vi.setConfig({ testTimeout: 600_000 });
/** A build and a release on a machine that much else is done on. */
const patienceMs = 240_000;

let place: PairPlace;
/** Builds in front of whatever is to wait for a slot. */
let blocker: App & { repository: { commit(files: Record<string, string>): Promise<string> } };

beforeAll(async () => {
  const bed = await bedOfRun();
  const gate = await createGate(bed.machineIp);
  const shop = await applicationFixture(await berthHost(bed, 'pairs', 35), {
    buildsConcurrency: 1,
    sharedImages: ['berth/', 'newer/'],
  });
  place = { shop, gate };
  await makeHeldRedis(place);
  const steps = [`wget -q -O /dev/null ${gate.url('blocker')}`];
  blocker = await shop.fromFiles('blocker', tinyFiles('first', { steps }), {
    settings: { cleanCache: true },
  });
}, 600_000);
afterAll(async () => {
  await place.gate[Symbol.asyncDispose]();
  await place.shop.berth.host.kill();
});

/** What is in progress when the operation comes. */
interface Present {
  /** Its status and reason, or `gone`; undefined while it goes on. */
  end(): Promise<string | undefined>;
  /** What must end besides, once nothing is held any more. */
  others: (() => Promise<unknown>)[];
}

const berthOf = () => place.shop.berth;

/** How the deployment ended; what was deleted meanwhile is gone with its deployments. */
async function endOfDeployment(deploymentId: string): Promise<string | undefined> {
  const { status, body } = await berthOf().ask('deployment.one', { deploymentId });
  if (status === 404) return 'gone';
  const { status: is, errorMessage } = body as DeploymentView;
  if (is === 'queued' || is === 'running') return undefined;
  return is === 'done' ? is : `${is}: ${errorMessage}`;
}

const presentOf = (deploymentId: string, others: Present['others'] = []): Present => ({
  end: () => endOfDeployment(deploymentId),
  others,
});

/** Brings something of the service into the phase; what happened is known by what waits at the gates. */
const bring: Record<OperationPhase, (subject: Subject) => Promise<Present>> = {
  async queued(subject) {
    subject.shut('start');
    const before = await subject.again();
    await until('the first starts', async () => subject.isHeld('start'), patienceMs);
    const present = await subject.again();
    expect(await subject.newest()).toMatchObject({ deploymentId: present, status: 'queued' });
    return presentOf(present, [() => until('the first has ended', () => endOfDeployment(before))]);
  },
  async waiting(subject) {
    place.gate.shut('blocker');
    const ahead = await blocker.begin();
    await until('another build is under way', async () => place.gate.waiting('blocker') > 0);
    const present = await subject.again();
    await until('it waits for a slot', async () =>
      (await berthOf().log(present)).some((line) => line.includes('Waiting for a build slot')),
    );
    return presentOf(present, [() => blocker.ended(ahead)]);
  },
  async building(subject) {
    subject.shut('build');
    const present = await subject.again();
    await until('it builds', async () => subject.isHeld('build'), patienceMs);
    return presentOf(present);
  },
  async releasing(subject) {
    subject.shut('start');
    const present = await subject.again();
    await until('it starts', async () => subject.isHeld('start'), patienceMs);
    return presentOf(present);
  },
  async 'by-hand'(subject) {
    subject.shut('stop');
    let end: string | undefined;
    const stopping = subject.ask('stop').then(({ status, body }) => {
      end = status === 200 ? 'done' : JSON.stringify(body);
    });
    await until('it is being stopped', async () => subject.isHeld('stop'));
    return { end: async () => end, others: [() => stopping] };
  },
};

/**
 * Asks for it and opens the gates once it was answered, or what was in progress has ended: an operation that
 * ends a deployment starts things itself. One that waits for what is done by hand is answered after it.
 */
async function askAndOpen(
  { operation, phase }: PairCell,
  subject: Subject,
  present: Present,
): Promise<Answer> {
  let isAnswered = false;
  const asked = subject.ask(operation).finally(() => {
    isAnswered = true;
  });
  if (phase !== 'by-hand')
    await until('it was answered', async () => isAnswered || (await present.end()) !== undefined);
  subject.open();
  place.gate.open('blocker');
  return asked;
}

/** How a deployment ended that came and waited; undefined where none did. */
async function howFollowed({ comes }: PairEnd, subject: Subject): Promise<string | undefined> {
  if (comes !== 'queued') return undefined;
  const { deploymentId } = await subject.newest();
  return (await deploymentEnded(berthOf(), subject.name, deploymentId)).status;
}

/** What the engine is to run of it, and what its record says. */
async function leftOf({ left }: PairEnd, subject: Subject): Promise<object> {
  const wanted = await wantedOf(subject);
  return left === 'gone' ? { wanted } : { wanted, isWorking: await subject.isWorking() };
}

/** Replicas that the engine is to run of it; undefined without a service. */
async function wantedOf({ label }: Subject): Promise<number | undefined> {
  const services = await dockerOf(berthOf().host).services(label);
  if (services.length === 0) return undefined;
  return services.reduce((sum, line) => sum + Number(line.split('/').at(-1)), 0);
}

let count = 0;

async function tryCell(cell: PairCell): Promise<void> {
  const subject = await createSubject(place, cell.kind, `pair-${(count += 1)}`);
  const expected = endOf(cell);
  const present = await bring[cell.phase](subject);
  const { status, body } = await askAndOpen(cell, subject, present);
  expect([status, body]).toEqual([expected.httpStatus, expect.anything()]);
  expect(await until('what was in progress has ended', present.end)).toMatch(expected.present);
  for (const ended of present.others) await ended();
  expect(await howFollowed(expected, subject)).toBe(expected.comes === 'queued' ? 'done' : undefined);
  expect(await leftOf(expected, subject)).toEqual(
    expected.left === 'gone' ? { wanted: undefined } : { wanted: expected.left, isWorking: false },
  );
  if (expected.left !== 'gone') await subject.remove();
}

it.each(
  (modeOf().isLong ? pairCells : oneOfEachOutcome()).map((cell) => ({ ...cell, outcome: outcomeOf(cell) })),
)('$kind: $operation while something is $phase ($outcome)', tryCell);

it('nothing of all this was a fault, and nothing is left under way', async () => {
  const unfinished = (await berthOf().call<DeploymentView[]>('deployment.all')).filter(
    ({ status }) => status === 'queued' || status === 'running',
  );
  expect(unfinished).toEqual([]);
  await expectCalmLog(berthOf());
});
