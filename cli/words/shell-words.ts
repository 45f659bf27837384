/** `berth shell` and `berth exec`: a program in a running container of a service. */
import { exitCodes } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import { runInContainer } from './parts/container-program.ts';
import { serviceOf } from './parts/services.ts';
import type { Options, Word } from './parts/word.ts';

const which: Options = {
  service: { value: 'NAME', description: 'for a compose service: the service in its file' },
  task: { value: 'ID', description: 'the task to use; default: the newest' },
};

const shell: Word = {
  name: 'shell',
  usage: '[service]',
  summary: 'opens a shell in a running container',
  description: 'bash, or sh where there is none. A member needs the grant canOpenTerminal.',
  options: which,
  most: 1,
  calls: ['project.all', 'terminal.open'],
  async run(context) {
    if (!context.terminal.person)
      throw new UsageError(
        'A shell needs a terminal. For one command: berth exec [service] -- COMMAND [argument …]',
      );
    const service = await serviceOf(context, context.args[0]);
    return runInContainer(context, { serviceId: service.id });
  },
};

const exec: Word = {
  name: 'exec',
  usage: '[service] -- COMMAND [argument …]',
  summary: 'runs a command in a running container',
  description:
    'Its standard input, output and exit code are those of this command. Arguments are passed as they are; ' +
    "for pipes and variables run a shell: -- sh -c 'env | sort'. A member needs the grant canOpenTerminal.",
  options: which,
  most: 1,
  calls: ['project.all', 'terminal.open'],
  async run(context) {
    const command = context.rest;
    if (command === undefined || command.length === 0)
      throw new UsageError('Which command? Write it after --: berth exec [service] -- COMMAND [argument …]');
    const service = await serviceOf(context, context.args[0]);
    return (await runInContainer(context, { serviceId: service.id, command })) ?? exitCodes.done;
  },
};

export const shellWords: readonly Word[] = [shell, exec];
