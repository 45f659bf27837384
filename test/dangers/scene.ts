/** What the cells of the table of dangers do alike. */
import { textOf } from '../http/interface-client.ts';
import type { Call, Party, Said, Stage } from './stage.ts';
import type { Author, DangerRow, Deployable, Outcome, Path } from './table.ts';

export interface Cell {
  deployable: Deployable;
  path: Path;
  author: Author;
  danger: DangerRow;
}

export interface Came {
  outcome: Outcome;
  /** What was said: by the deployment, or at the interface. */
  said: string;
  /** The interface refused before anything was stored. */
  atTheDoor: boolean;
}

/** Who deploys, and in whose organization. */
export interface Scene {
  stage: Stage;
  cell: Cell;
  party: Party;
  call: Call;
  /** Name of the service, unlike any other. */
  name: string;
}

/** Ways that begin with a danger that was released with leave. */
export const ranBefore: ReadonlySet<Path> = new Set(['reconcile, ran', 'rollback', 'redeploy']);

export function good({ status, body, deploymentId }: Said): Said {
  if (status !== 200) throw new Error(`The call was answered ${status}: ${JSON.stringify(body)}`);
  return { status, body, deploymentId };
}

/** Whether what the engine was asked for has the danger, since the last look. */
export function outcomeNow({ stage, cell }: Scene, said: string, atTheDoor = false): Came {
  const reached = stage.asked().includes(cell.danger.marker);
  return { outcome: reached ? 'reaches the machine' : 'held', said, atTheDoor };
}

/** A tenant's organization is trusted for as long as the work takes. */
export async function trusted<T>({ stage, party }: Scene, work: () => Promise<T>): Promise<T> {
  const { organizationId } = party;
  if (party === stage.installation) return work();
  const setTrusted = (isTrusted: boolean): Promise<Said> =>
    stage.installation.owner('organization.setTrusted', { organizationId, trusted: isTrusted }).then(good);
  await setTrusted(true);
  const value = await work();
  await setTrusted(false);
  return value;
}

export const fromGit = {
  sourceType: 'git',
  customGitUrl: 'https://git.test/shop.git',
  customGitBranch: 'main',
} as const;

export async function mustBeDone(deployment: Promise<string>): Promise<void> {
  const said = await deployment;
  if (said !== 'done') throw new Error(`The deployment before ended otherwise: ${said}`);
}

/** The engine loses the service. */
export const lost = ({ stage }: Scene, service: string): Promise<unknown> =>
  stage.run(() => stage.machine.memory.engine.removeService(service, { limitMs: 60_000 }));

/** The engine loses the service, and the reconciler puts right what it finds. */
export async function reconciled(scene: Scene, service: string): Promise<Came> {
  const { stage } = scene;
  await lost(scene, service);
  stage.asked();
  await stage.run(() => stage.world.reconciler.run());
  const came = outcomeNow(scene, 'reconciled');
  const isBack = [...stage.machine.memory.state.services.values()].some(({ spec }) => spec.Name === service);
  return isBack ? came : { ...came, said: 'It did not come back.' };
}

/** What ran before is stopped and started, by whoever brought the danger in. */
export async function startedAgain(
  scene: Scene,
  router: string,
  named: Record<string, string>,
): Promise<Came> {
  good(await scene.call(`${router}.stop`, named));
  scene.stage.asked();
  good(await scene.call(`${router}.start`, named));
  return outcomeNow(scene, 'done');
}

export async function pushed(
  { stage, party }: Scene,
  kind: 'application' | 'compose',
  id: string,
): Promise<string> {
  const one = good(await party.owner(`${kind}.one`, { [`${kind}Id`]: id }));
  const { body } = good(await stage.push(kind, textOf(one.body, 'refreshToken')));
  return stage.ended(textOf(body, 'deploymentId'));
}
