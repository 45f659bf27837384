/** A bare machine of the bed on which bin/up is run as a person would. */
import { copyCheckout } from '../bed/checkout.ts';
import type { Bed } from '../bed/bed.ts';
import type { BedHost, HostOptions } from '../bed/host.ts';
import type { CommandResult } from '../../images/command.ts';

/** Where the bed lays `dependencies` too. */
export const checkout = '/opt/berth';

export interface UpResult {
  url: string;
  email: string;
  password: string;
  apiKey: string;
  organizationId: string;
  exampleUrl: string;
  exampleHost: string;
  proxyUrl: string;
}

export interface Run extends CommandResult {
  /** Both outputs, for what a person sees. */
  text: string;
  ms: number;
}

export interface BareMachineOptions extends Pick<HostOptions, 'index'> {
  /** Revision of the checkout; the working tree unless given. */
  revision?: string | undefined;
  /** Spares what the first test of bin/up shows already: the images are in the engine's data. */
  images?: boolean;
  /** Likewise: the lockfile's packages are in node_modules. */
  dependencies?: boolean;
  /** Likewise: Debian's packages are installed; or the machine has systemd. */
  root?: 'bare' | 'equipped' | 'systemd';
}

/** Makes the machine and puts the project's checkout on it. */
export async function bareMachine(
  bed: Bed,
  name: string,
  { index, revision, images = false, dependencies = false, root = 'bare' }: BareMachineOptions,
): Promise<BedHost> {
  const host = await bed.host(name, { index, root, images, dependencies });
  await copyCheckout(host, checkout, revision);
  return host;
}

/** Runs one of the project's commands in the checkout; ten minutes at most. */
export async function runInCheckout(host: BedHost, argv: readonly [string, ...string[]]): Promise<Run> {
  const started = Date.now();
  const result = await host.exec(argv, { cwd: checkout, limitMs: 600_000 });
  return { ...result, text: `${result.stdout}${result.stderr}`, ms: Date.now() - started };
}

/** `bin/up --example --json`, which must succeed, and the object of its last line. */
export async function upWithExample(host: BedHost): Promise<{ run: Run; result: UpResult }> {
  const run = await runInCheckout(host, ['bin/up', '--example', '--json']);
  if (run.code !== 0) throw new Error(`bin/up failed (exit ${run.code}):\n${run.text.slice(-6000)}`);
  return { run, result: parseResult(run.stdout.trimEnd().split('\n').at(-1) ?? '') };
}

/** Status and body of an address, asked with curl on the machine itself. */
export async function curl(host: BedHost, ...words: string[]): Promise<{ status: number; body: string }> {
  const answer = await host.exec(
    ['curl', '--silent', '--show-error', '--max-time', '20', '--write-out', '\n%{http_code}', ...words],
    { limitMs: 30_000 },
  );
  const [status = '0', ...body] = answer.stdout.split('\n').toReversed();
  return { status: Number(status), body: body.toReversed().join('\n') };
}

/**
 * Programs that run on the machine, but those of the bed, of this very question, and health checks, which
 * come and go.
 */
export async function programs(host: BedHost): Promise<string[]> {
  const listed = await host.exec(['ps', '-eo', 'pid=,args='], { limitMs: 10_000 });
  const own = /(\/\.berth\/busybox|runc --root .* exec|runc init|host-init\.sh|sleep infinity|ps -eo)/;
  return listed.stdout
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !own.test(line));
}

function parseResult(line: string): UpResult {
  return JSON.parse(line) as UpResult;
}
