import { expect, test } from 'vitest';
import { kindsOfApplications } from './kinds.ts';
import { inFolder, killAtEveryCall, useVirtualTime } from './matrix.ts';
import { createInstallation } from './trial.ts';

useVirtualTime();
killAtEveryCall(kindsOfApplications);

test('a deployment that is killed again and again gives up, and says so', () =>
  inFolder(async (folder) => {
    const [, again] = kindsOfApplications;
    if (again === undefined) throw new Error('There is no such kind.');
    const installation = await createInstallation(again, folder);
    // Late enough in each start that the job is taken up, and before it can end.
    const { attempts, deployment, faults } = await installation.tryAt(12, [12, 12, 12]);
    await installation.close();
    expect(faults.filter((fault) => !fault.startsWith('a job was tried'))).toEqual([]);
    expect({ attempts, status: deployment.status }).toEqual({ attempts: 4, status: 'error' });
    expect(deployment.errorMessage).toMatch(/restarted 3 times during this deployment/);
  }));
