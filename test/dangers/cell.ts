/** One cell: a danger that somebody brings into a service, and one way of deploying it. */
import { tryCompose } from './compose-cell.ts';
import { tryMounted } from './mounted-cell.ts';
import type { Came, Cell, Scene } from './scene.ts';
import type { Stage } from './stage.ts';

let count = 0;

export async function tryCell(stage: Stage, cell: Cell): Promise<Came> {
  const { installation, tenant } = stage;
  const [party, call] = {
    "the installation's Admin": [installation, installation.admin] as const,
    "the installation's Member": [installation, installation.member] as const,
    "a tenant's Owner": [tenant, tenant.owner] as const,
    "a tenant's Member": [tenant, tenant.member] as const,
    // What is pushed, somebody of the organization may deploy by hand.
    'a stranger who pushes': [installation, installation.member] as const,
  }[cell.author];
  const scene: Scene = { stage, cell, party, call, name: `danger-${(count += 1)}` };
  const came = cell.deployable === 'compose' ? await tryCompose(scene) : await tryMounted(scene);
  return came;
}
