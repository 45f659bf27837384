/** Refuses a published port of a compose service that something else on its server has. */
import { organizationLabel } from '../../domain/names/labels.ts';
import { ownerLabels } from '../../domain/names/service-ref.ts';
import { AppError } from '../../domain/errors.ts';
import type { PublishedPorts } from '../../modules/port/port.ts';
import type { ComposePorts } from './compose-context.ts';

/**
 * Throws CONFLICT when the records of applications or databases have the port, or the engine has it for
 * another compose service.
 */
export function createFreePort(
  published: Pick<PublishedPorts, 'requireFree'>,
): ComposePorts['requireFreePort'] {
  return async ({ engineView }, { port, protocol, field, compose }) => {
    const { composeId, organizationId, serverId } = compose;
    await published.requireFree({
      port,
      protocol,
      field,
      organizationId,
      serverId,
      holderId: composeId,
    });
    const others = (await engineView.swarmServices()).filter(
      ({ labels, ports }) =>
        labels[ownerLabels.compose] !== composeId &&
        ports.some((other) => other.published === port && other.protocol === protocol),
    );
    const [other] = others;
    if (!other) return;
    const who =
      other.labels[organizationLabel] === organizationId
        ? `the service ${other.name}`
        : 'another service on this server';
    throw new AppError(
      'CONFLICT',
      `${field}: port ${port}/${protocol} is already published by ${who}. Choose another one.`,
      { issues: [{ path: field, message: `is taken by ${who}` }] },
    );
  };
}
