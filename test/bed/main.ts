import { closeStale, findBed, openBed, type Bed } from './bed.ts';
import { dockerCli } from './host/golden.ts';
import { installHostPackages } from './host/host-packages.ts';
import { bedNames } from './host/host-record.ts';
import type { BedHost } from './host/host.ts';
import { leftovers } from './machine/leftovers.ts';

const usage = `node test/bed/main.ts up            opens the standing bed "dev":
                                    m1 with an engine, its swarm and all images, s1 without
node test/bed/main.ts down [bed]    closes it
node test/bed/main.ts status        every open bed, its hosts, their addresses and sockets
node test/bed/main.ts exec HOST PROGRAM ARGUMENT…   runs a program in a host of "dev"
node test/bed/main.ts sweep         closes beds whose run has died
node test/bed/main.ts leftovers     lists what is left on the machine and belongs to no open bed;
                                    exit code 1 if anything
`;

const signal = new AbortController().signal;
const devBed = 'dev';
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const verbs: Record<string, (rest: string[]) => Promise<number>> = {
  up: async () => {
    await installHostPackages(say, signal);
    const bed = (await findBed(devBed, signal)) ?? (await openDev());
    await show(bed);
    return 0;
  },
  down: async ([name = devBed]) => {
    await (await findBed(name, signal))?.close();
    return 0;
  },
  status: async () => {
    for (const name of await bedNames()) {
      const bed = await findBed(name, signal);
      if (bed !== null) await show(bed);
    }
    return 0;
  },
  exec: async ([name = '', program = '', ...rest]) => {
    const host = await (await findBed(devBed, signal))?.find(name);
    if (host === undefined || program === '') return fail();
    const result = await host.exec([program, ...rest], { limitMs: 600_000 });
    process.stdout.write(result.stdout);
    process.stderr.write(result.stderr);
    return result.code;
  },
  sweep: async () => {
    for (const name of await closeStale()) say(`closed ${name}`);
    return 0;
  },
  leftovers: async () => {
    const found = await leftovers();
    found.forEach(say);
    return found.length === 0 ? 0 : 1;
  },
};

async function openDev(): Promise<Bed> {
  const bed = await openBed({ name: devBed, net: '10.98.0', standing: true, log: say, signal });
  const [first] = await Promise.all([
    bed.host('m1', { index: 1, engine: true, images: true, sshd: true }),
    bed.host('s1', { index: 2, sshd: true }),
  ]);
  await first.exec([dockerCli, 'swarm', 'init', '--advertise-addr', first.ip]);
  return bed;
}

async function show(bed: Bed): Promise<void> {
  say(`bed ${bed.name}  net ${bed.net}  machine ${bed.machineIp}`);
  for (const name of await bed.hosts()) say(describe(await bed.find(name)));
}

function describe(host: BedHost): string {
  const ssh =
    host.hostKey === '' ? '' : `  ssh -i ${host.sshKeyPath} root@${host.ip} (host key ${host.hostKey})`;
  return `  ${host.name}  ${host.ip}  engine socket ${host.engineSocket}${ssh}`;
}

function fail(): number {
  process.stderr.write(usage);
  return 2;
}

const [verb = '', ...rest] = process.argv.slice(2);
process.exitCode = await (verbs[verb]?.(rest) ?? Promise.resolve(fail()));
