/** `berth server add`: a machine with an SSH server becomes one that services run on, in one step. */
import { programArgv, theirWord } from '../../program-argv.ts';
import { isIP } from 'node:net';
import type { Client } from '../../../client/client.ts';
import { BerthError } from '../../../client/berth-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printableLine } from '../../output/printable.ts';
import { ask, confirm, isPersonThere } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from '../parts/context.ts';
import { serverNamed } from '../parts/servers.ts';
import type { Word } from '../parts/word.ts';

const setupPort = 22;
const timeOfLine = /^\S+Z /;
/** Kind and key alone: neither has a character that a shell would read. */
const plainKey = /^[a-z0-9@.-]+ [A-Za-z0-9+/=]+/;

export const serverAdd: Word = {
  name: 'server add',
  usage: 'ADDRESS',
  summary: 'adds a machine reachable over SSH as a server for services',
  description:
    'Creates an SSH key, adds the server and sets it up. With --install the key is put there with your ' +
    'own ssh (it asks for the password once); otherwise the line for authorized_keys is printed. Run the ' +
    'same command again to continue where it stopped.',
  options: {
    user: { value: 'NAME', description: 'user to sign in as; default: root' },
    port: { short: 'p', value: 'PORT', description: 'port of its SSH server; default: 22' },
    name: { value: 'NAME', description: 'its name in Berth; default: the address' },
    build: { description: 'a build server: engine and builders, no services' },
    install: { description: 'puts the key there with your own ssh' },
  },
  most: 1,
  calls: ['server.all', 'sshKey.generate', 'server.create', 'server.setup', 'server.setupLogs', 'server.one'],
  async run(context) {
    const { client } = await context.berth();
    const machine = machineOf(context);
    const present = itemsOf(await client.server.all()).find(
      ({ ipAddress, port }) => ipAddress === machine.ipAddress && port === machine.port,
    );
    const serverId = present?.serverId ?? (await added(context, client, machine));
    if (present) context.say(`${present.name} already exists; continuing with it.`);
    return followSetup(context, client, serverId);
  },
};

export const serverForget: Word = {
  name: 'server forget',
  usage: 'SERVER',
  summary: 'removes the records of a lost server and of everything on it, without reaching it',
  description:
    'For a server that does not come back. Its services lose their records with it. Backups at ' +
    'destinations stay and are restored into services elsewhere. Whatever still runs on the machine ' +
    'continues.',
  options: { yes: { short: 'y', description: 'does it without a question' } },
  most: 1,
  calls: ['server.all', 'server.services', 'server.one', 'server.forget'],
  async run(context) {
    const [named] = context.args;
    if (named === undefined) throw new UsageError('Name a server; `berth servers` lists them.');
    const { client } = await context.berth();
    const serverId = await serverNamed(client, named);
    const { name } = await client.server.one({ serverId });
    const services = await client.server.services({ serverId });
    const listed = services.map((service) => `${service.kind} ${service.name}`).join(', ');
    await confirm(
      context.terminal,
      services.length === 0
        ? `The record of ${name} is removed. Nothing stands on it.`
        : `The record of ${name} is removed, and the records of what stands on it: ${listed}.`,
      context.is('yes'),
    );
    const { forgotten, formerNodes } = await client.server.forget({ serverId, name });
    const again = formerNodes.map((node) => `Set up ${node} again: it was a node of its cluster.\n`);
    context.answer(
      { serverId, forgotten, formerNodes },
      () => `Forgot ${name} and ${forgotten.length} services.\n${again.join('')}`,
    );
  },
};

interface NewMachine {
  name: string;
  ipAddress: string;
  port: number;
  username: string;
  serverType: 'deploy' | 'build';
}

function machineOf(context: Context): NewMachine {
  const [address] = context.args;
  if (address === undefined || !(isIP(address) || /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(address)))
    throw new UsageError('Give the address of the machine: `berth server add 203.0.113.7`.');
  const username = context.text('user') ?? 'root';
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(username))
    throw new UsageError(`--user: ${username} is not a valid user name.`);
  const port = Number(context.text('port') ?? setupPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError('--port: must be a number from 1 to 65535.');
  const serverType = context.is('build') ? 'build' : 'deploy';
  return {
    name: context.text('name') ?? address,
    ipAddress: address.toLowerCase(),
    port,
    username,
    serverType,
  };
}

/** Its key first: a server without one could not be set up. */
async function added(context: Context, client: Client, machine: NewMachine): Promise<string> {
  const { sshKeyId, publicKey } = await client.sshKey.generate({ name: `Server ${machine.name}` });
  const { serverId } = await client.server.create({ ...machine, description: null, sshKeyId });
  const [line] = plainKey.exec(publicKey) ?? [];
  if (line === undefined) throw new UsageError(`Berth did not return a public key, but ${publicKey}.`);
  if (context.is('install')) await install(context, machine, line);
  else {
    context.say(`Append this line to ~/.ssh/authorized_keys of ${machine.username} on the machine:`);
    context.terminal.say(`${line}\n`);
    if (!isPersonThere(context.terminal))
      throw new UsageError('Then run the same command again to set the server up.');
    await ask(context.terminal, 'Continue when it is there', 'Enter');
  }
  return serverId;
}

async function install({ terminal }: Context, { ipAddress, port, username }: NewMachine, line: string) {
  // It becomes text of a shell on the machine, so it must be a key and nothing else.
  if (!/^[a-z0-9@.-]+ [A-Za-z0-9+/]+=*(?: [\w.@ -]*)?$/.test(line))
    throw new UsageError('Berth answered with something that is not a public key; nothing was sent.');
  const script = `umask 077; mkdir -p ~/.ssh && printf '\\n%s\\n' '${line}' >> ~/.ssh/authorized_keys`;
  const code = await terminal.runProgram(
    programArgv('ssh', '-p', String(port), '-l', theirWord(username), '--', theirWord(ipAddress), script),
  );
  if (code !== 0)
    throw new UsageError(
      `ssh ended with exit code ${code}, and the key is not there. Append this line to ` +
        `~/.ssh/authorized_keys of ${username} on the machine, then run the same command again without ` +
        `--install:\n${line}`,
    );
}

/** Shows each stage as it comes; the exit code says whether it is a server now. */
async function followSetup(context: Context, client: Client, serverId: string): Promise<number> {
  const { look, terminal } = context;
  const { setupStatus } = await client.server.one({ serverId });
  if (setupStatus !== 'running') await client.server.setup({ serverId });
  try {
    for await (const { data } of client.server.setupLogs({ serverId }, { signal: terminal.signal })) {
      if (data.type !== 'line') continue;
      const line = printableLine(data.text, false).replace(timeOfLine, '');
      terminal.say(`${look(line.startsWith('── ') ? 'bold' : 'dim', line)}\n`);
    }
  } catch (error) {
    if (terminal.signal.aborted) terminal.say('The set-up continues; `berth servers` shows it.\n');
    if (!(error instanceof BerthError) || error.code === 'UNREACHABLE') throw error;
    context.say(error.message);
  }
  const server = await client.server.one({ serverId });
  const isReady = server.setupStatus === 'done';
  if (!isReady) context.say(server.setupError ?? `Its set-up is ${server.setupStatus}.`);
  const { name } = server;
  context.answer({ serverId, name, setupStatus: server.setupStatus }, () =>
    isReady ? `${name} is ready: ${serverId}\n` : '',
  );
  return isReady ? exitCodes.done : exitCodes.refused;
}
