/** Somebody without any right on the machine reads the arguments of its processes while something builds. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { output, until } from '../e2e/fixtures/applications.ts';
import { createGate, type Gate } from '../e2e/hostile/gate.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { lootOf, newName } from './support/deployments.ts';
import { attackedHost, type Attacked } from './support/fixture.ts';

const loot = 'for-the-build-alone';
const wholeArguments = '/usr/local/bin/docker-of-whole-arguments';
/** Gives docker each `--build-arg=NAME` with the value of that variable. */
const script = `#!/bin/bash
for one in "$@"; do
  name=\${one#--build-arg=}
  if [[ $one == --build-arg=* && $name != *=* && -v $name ]]; then one+="=\${!name}"; fi
  given+=("$one")
done
exec /usr/bin/docker "\${given[@]}"
`;
const table = attackTable('arguments of processes');
let gate: Gate;
let world: Attacked;

beforeAll(async () => {
  gate = await createGate(inject('bed').machineIp);
  world = await attackedHost(await bedOfRun(), 'arguments', 57);
  await output(
    world.berth.host,
    'sh',
    '-ec',
    'printf %s "$1" > "$2"; chmod 755 "$2"',
    'sh',
    script,
    wholeArguments,
  );
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

/** Arguments of every process, as nobody reads them. */
const allArguments = (): Promise<string> =>
  output(
    world.berth.host,
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    'sh',
    '-c',
    'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"; true',
  );

/** Builds with the argument, and looks while a step of the build waits. */
async function readDuring(names: Record<string, string>): Promise<Outcome> {
  // Of the installation, whose builds reach the gate.
  const { owner, environmentId } = world.installation;
  const name = newName();
  const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
  const applicationId = textOf(made, 'applicationId');
  await valueOf(owner('application.saveBuildType', { applicationId, buildType: 'dockerfile' }));
  await valueOf(owner('application.saveEnvironment', { applicationId, env: '', ...names }));
  gate.shut(name);
  // Named, since a step of the cache waits for nobody.
  const Dockerfile =
    `FROM berth/node:24\nARG TOKEN\nRUN echo ${name} && node -e "fetch('${gate.url(name)}')"\n` +
    'CMD ["sleep", "600"]\n';
  await valueOf(owner('application.dropDeployment', { applicationId }, 'b', { Dockerfile }));
  const waits = async (): Promise<boolean> => {
    const newest = await valueOf(owner('deployment.latest', { applicationId }));
    if (['error', 'cancelled'].includes(textOf(newest, 'status')))
      throw new Error(`The build ended: ${JSON.stringify(newest)}`);
    return gate.waiting(name) > 0;
  };
  await until('the build waits', waits, 240_000);
  const seen = await allArguments();
  gate.open(name);
  if (!seen.includes('\nbuild\n')) throw new Error(`No build was seen: ${seen}`);
  await lootOf(owner, { applicationId }, loot);
  const line = seen.split('\n').find((one) => one.includes('TOKEN')) ?? '';
  return { succeeded: seen.includes(loot), said: line };
}

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'reads a build argument': () => readDuring({ buildArgs: `TOKEN=${loot}` }),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toEqual({
      succeeded: false,
      said: '--build-arg=TOKEN',
    });
  });

  it('reads a build secret: held', async () => {
    expect(
      await table.note('reads a build secret', 'as built', readDuring({ buildSecrets: `TOKEN=${loot}` })),
    ).toMatchObject({ succeeded: false, said: expect.stringContaining('id=TOKEN') });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with arguments that are given whole', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/argument-names.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toEqual({
      succeeded: true,
      said: `--build-arg=TOKEN=${loot}`,
    });
  });
});
