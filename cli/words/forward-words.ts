/** `berth forward`: a port of a service on this machine. */
import { forwardPort } from '../connection/forwarder.ts';
import { UsageError } from '../usage-error.ts';
import { nameOf, serviceOf } from './parts/services.ts';
import type { Word } from './parts/word.ts';

export const forward: Word = {
  name: 'forward',
  usage: '[service] PORT',
  summary: 'opens a port of a service on this machine',
  description:
    'Forwards connections to 127.0.0.1 on this machine to the port where the service listens in its ' +
    'container, through Berth, until ctrl-C. Nothing is published. A member needs the grant canForwardPorts.',
  options: {
    local: { value: 'PORT', description: 'port of this machine; default: the same; 0: any free one' },
    service: { value: 'NAME', description: 'for a compose service: the service in its file' },
  },
  most: 2,
  calls: ['project.all', 'terminal.forward'],
  async run(context) {
    const { connection } = await context.berth();
    const [name, text] = context.args.length > 1 ? context.args : [undefined, context.args[0]];
    const port = portOf(text, 1, 'PORT');
    const service = await serviceOf(context, name);
    const { port: local, ended } = await forwardPort({
      connection,
      target: { serviceId: service.id, serviceName: context.text('service'), port },
      localPort: portOf(context.text('local') ?? String(port), 0, '--local'),
      signal: context.terminal.signal,
      say: context.say,
    });
    context.answer(
      { host: '127.0.0.1', port: local, service: nameOf(service), servicePort: port },
      () => `127.0.0.1:${local} forwards to port ${port} of ${nameOf(service)} until ctrl-C.\n`,
    );
    await ended;
  },
};

function portOf(text: string | undefined, least: number, what: string): number {
  const port = Number(text);
  if (text === undefined || !Number.isInteger(port) || port < least || port > 65_535)
    throw new UsageError(`${what} must be a port, ${least} to 65535. Usage: berth forward [service] PORT`);
  return port;
}
