/** What a container is given besides the engine's protection, or without it, as the kernel tells it. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { uniqueName, until, untilRunning } from '../../engine-suite/fixture.ts';
import type { ContainerOptions } from '../../../server/src/ports/engine/engine.ts';
import { bedEngine, nodeService } from './engine-fixture.ts';

const { engine, api } = bedEngine();

// 0: none, 2: a filter (man 5 proc, Seccomp). Which filter it is shows in a call that it forbids.
const status = `
const { readFileSync } = require('node:fs');
const lines = readFileSync('/proc/self/status', 'utf8').split('\\n');
const of = (name) => lines.find((line) => line.startsWith(name + ':')).split(':')[1].trim();
let priority = 'allowed';
try { require('node:os').setPriority(5); } catch (error) { priority = 'refused'; }
console.log('seccomp ' + of('Seccomp') + ', new privileges ' + (of('NoNewPrivs') === '0') + ', ' + priority);
setInterval(() => undefined, 1000);
`;

/** Everything but a lower priority of a process. */
const profile = JSON.stringify({
  defaultAction: 'SCMP_ACT_ALLOW',
  syscalls: [{ names: ['setpriority'], action: 'SCMP_ACT_ERRNO' }],
});

const withProfiles = '1.44';

test.each<[string, ContainerOptions, string, string]>([
  ['nothing', {}, 'seccomp 2, new privileges true, allowed', 'seccomp 2, new privileges true, allowed'],
  [
    'no filter',
    { noNewPrivileges: true, seccomp: 'unconfined', apparmor: 'unconfined' },
    'seccomp 0, new privileges false, allowed',
    'seccomp 2, new privileges true, allowed',
  ],
  [
    'a filter of its own',
    { seccomp: profile },
    'seccomp 2, new privileges true, refused',
    'seccomp 2, new privileges true, allowed',
  ],
])(
  'a container that is given %s',
  async (_kind, container, since, before) => {
    const { ApiVersion: version } = await api.call(
      { method: 'GET', path: '/version', doing: 'the test' },
      z.looseObject({ ApiVersion: z.string() }),
    );
    const spec = nodeService(uniqueName('privileges'), status, { container });
    await engine.applyService(spec);
    await untilRunning(engine, spec.name);
    const said = await until('the program says what it has', async () => {
      for await (const { text } of engine.serviceLogs(spec.name, { tail: 1 }))
        if (text.startsWith('seccomp')) return text;
      return undefined;
    });
    expect(said).toBe(Number(version.split('.')[1]) >= Number(withProfiles.split('.')[1]) ? since : before);
    await engine.removeService(spec.name);
  },
  120_000,
);
