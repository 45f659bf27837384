/** Ports below 1024 of what goes to another machine: whoever may has to want them there (decisions 2). */
import { classRule } from '../../domain/access/permissions.ts';
import { AppError } from '../../domain/errors.ts';
import { firstFreePort } from './dangers.ts';

/** FORBIDDEN, with the first of the ports and the ways out, when the caller is not among those who may. */
export async function requireLowPortsAllowed(
  name: string,
  ports: readonly { published: number; protocol: string }[],
  hasHostReach: () => Promise<boolean>,
): Promise<void> {
  const low = ports.find(({ published }) => published < firstFreePort);
  if (low === undefined || (await hasHostReach())) return;
  throw new AppError(
    'FORBIDDEN',
    `${name} publishes the port ${low.published}/${low.protocol}, below ${firstFreePort}, which would reach ` +
      `the other server itself. That needs an ${classRule('hostReach').words}. Ask one of them to move it, ` +
      'or publish another port first.',
  );
}
