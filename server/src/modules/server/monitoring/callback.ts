/** Reports an exceeded threshold to the callback URL of the server's monitoring. */
import { createHmac } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import type { Passing } from '../../../domain/resources/metrics.ts';
import type { TableRecord } from '../../../db/tables.ts';
import type { Clock } from '../../../ports/clock.ts';
import { endUnread, shortAnswer, type Outgoing } from '../../../ports/outgoing.ts';

type Server = Pick<
  TableRecord<'server'>,
  'serverId' | 'name' | 'organizationId' | 'metricsConfig' | 'metricsToken'
>;

const limitMs = 10_000;

/**
 * Signs the request with the token of the monitoring, by the headers of the Standard Webhooks specification.
 * Throws unless the callback accepted it; then the next look reports it again.
 */
export async function tellCallback(
  { outgoing, clock }: { outgoing: Pick<Outgoing, 'request'>; clock: Clock },
  { serverId, name, organizationId, metricsConfig, metricsToken }: Server,
  told: Passing,
): Promise<void> {
  if (metricsConfig === null) return;
  const { passing, at, kind, value, threshold } = told;
  const body = JSON.stringify({
    type: kind,
    value,
    threshold,
    message: passingSentence(name, told),
    timestamp: new Date(at).toISOString(),
    serverId,
    serverName: name,
  });
  const id = `${serverId}-${at}-${passing}`;
  const timestamp = String(Math.floor(clock.now() / 1000));
  const signature = createHmac('sha256', metricsToken ?? '')
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  const answer = await outgoing.request(
    {
      url: metricsConfig.server.urlCallback,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      limitMs,
      maxBytes: shortAnswer,
    },
    { organizationId, purpose: 'callback' },
  );
  const { status } = answer;
  await endUnread(answer);
  if (status < 200 || status > 299)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The callback of the monitoring of the server ${name} answered with status ${status}.`,
    );
}

export function passingSentence(name: string, { kind, value, threshold }: Passing): string {
  const what = kind === 'cpu' ? 'Processor time' : 'Memory';
  return `${what} of the server ${name} is at ${value} %, over its threshold of ${threshold} %.`;
}
