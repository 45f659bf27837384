/**
 * Removes networks of ours for good. The manager may forget a network while the node keeps it: whoever
 * attaches a container by hand while the last task leaves makes the node bring the network up again, with an
 * endpoint of its own, `NAME-endpoint`, and nobody takes that down (measured on 20.10). The engine lists it
 * then, says "not found" to its removal, and gives its addresses to nobody else, until it is started again.
 */
import { environmentLabel } from '../../../domain/names/labels.ts';
import { ownerLabels } from '../../../domain/names/service-ref.ts';
import { AppError } from '../../../domain/errors.ts';
import type { NetworkState } from '../../../ports/engine/engine-network.ts';
import { waitUntilSo } from '../../../ports/wait-until.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { EngineRefusal, isAbsent } from '../client/engine-error.ts';
import type { NetworkLookup } from './network-lookup.ts';

/** A network stays "in use" for a moment after its last task ended; so long is its removal tried again. */
const releaseLimitMs = 15_000;
const releasePauseMs = 300;
/** The node takes a network down some seconds after the manager forgot it (up to 6 s, measured on 20.10). */
const goneLimitMs = 10_000;
const gonePauseMs = 500;

/** An absent network is no error; throws CONFLICT, naming the commands that end it, for one that stays. */
export async function removeNetwork(
  client: EngineClient,
  lookup: NetworkLookup,
  name: string,
): Promise<void> {
  const network = await lookup.find(name);
  if (network === undefined) return;
  const wasKnown = await removeWhenFree(client, network);
  // The manager knew it, so the node is told of its end.
  if (wasKnown) return;
  const isGone = async (): Promise<boolean> => (await lookup.find(name)) === undefined;
  if (await waitUntilSo(isGone, { everyMs: gonePauseMs, limitMs: goneLimitMs })) return;
  await endForgotten(client, network);
  if (!(await isGone())) throw stays(network);
}

/** False when the manager does not know it. */
async function removeWhenFree(client: EngineClient, network: NetworkState): Promise<boolean> {
  let refusal: unknown;
  let wasKnown = true;
  const remove = async (): Promise<boolean> => {
    try {
      await client.send({
        method: 'DELETE',
        path: `/networks/${segment(network.id)}`,
        doing: `removing the network ${network.name}`,
      });
      return true;
    } catch (error) {
      if (isForgotten(error)) {
        wasKnown = false;
        return true;
      }
      if (!(error instanceof EngineRefusal && /in use by task|active endpoints/i.test(error.words)))
        throw error;
      refusal = error;
      return false;
    }
  };
  if (!(await waitUntilSo(remove, { everyMs: releasePauseMs, limitMs: releaseLimitMs }))) throw refusal;
  return wasKnown;
}

/** A manager that forgets the network just then answers 500 (seen on 20.10 and 26.1). */
function isForgotten(error: unknown): boolean {
  return isAbsent(error) || (error instanceof EngineRefusal && /^network \S+ not found$/.test(error.words));
}

/**
 * Takes the node's own endpoint away, and lets the engine remove what nobody uses and bears exactly these
 * labels: its removal by name goes to the manager, which knows nothing of it.
 */
async function endForgotten(client: EngineClient, network: NetworkState): Promise<void> {
  const label = labelOf(network);
  if (label === undefined) return;
  await client
    .send({
      method: 'POST',
      path: `/networks/${segment(network.id)}/disconnect`,
      body: { Container: endpointOf(network), Force: true },
      doing: `ending the left-over network ${network.name}`,
    })
    .catch((error: unknown) => {
      if (!(error instanceof EngineRefusal)) throw error;
    });
  await client.send({
    method: 'POST',
    path: '/networks/prune',
    query: { filters: { label: [label] } },
    doing: `ending the left-over network ${network.name}`,
  });
}

const endpointOf = ({ name }: NetworkState): string => `${name}-endpoint`;

/** The label that no other network has; undefined for the platform's own. */
function labelOf({ labels }: NetworkState): string | undefined {
  const key = [environmentLabel, ownerLabels.compose].find((each) => labels[each] !== undefined);
  return key === undefined ? undefined : `${key}=${labels[key]}`;
}

function stays(network: NetworkState): AppError {
  const label = labelOf(network);
  const commands =
    label === undefined
      ? ''
      : `Run "docker network disconnect --force ${network.name} ${endpointOf(network)}" and ` +
        `"docker network prune --filter label=${label}" on that machine, or `;
  return new AppError(
    'CONFLICT',
    `The engine lists the network ${network.name} (${network.subnet}), which its swarm no longer knows, ` +
      `and does not let go of it. ${commands}${commands === '' ? 'Start' : 'start'} its engine again. New ` +
      'networks get other addresses meanwhile.',
  );
}
