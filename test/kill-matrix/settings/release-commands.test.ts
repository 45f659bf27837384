/** Commands after a release: when they run, and what their failure changes. */
import { expect, test } from 'vitest';
import { web } from '../images.ts';
import { productInMemory } from '../product.ts';

const product = productInMemory();

test('a post-release command runs once the new version is healthy and routed', async () => {
  const { deploy, logOf, addApplication } = product();
  const service = await addApplication('after', { postReleaseCommand: ['sh', '-c', 'true'] });
  const ended = await deploy(service);
  expect(ended).toMatchObject({ status: 'done', errorMessage: null });
  const log = logOf(ended).join('\n');
  expect(log).toMatch(/Checking the routes[\s\S]*Running the post-release command: \["sh","-c","true"\]/);
});

test('its failure is told, and the new version stays', async () => {
  const { memory, run, deploy, logOf, addApplication, organizationId } = product();
  memory.addImage('local/failing:1', {
    ...web,
    programs: { ...web.programs, 'warm-up': () => 7 },
  });
  const service = await addApplication('failing', {
    containerImage: 'local/failing:1',
    postReleaseCommand: ['warm-up'],
  });
  const ended = await deploy(service);
  const sentence = 'The post-release command ended with exit code 7; the new version runs all the same.';
  expect(ended).toMatchObject({ status: 'done', errorMessage: sentence });
  expect(logOf(ended)).toContain(sentence);
  const { applicationStatus } = await run(({ applications }) =>
    applications.one(service.serviceId, organizationId),
  );
  expect(applicationStatus).toBe('done');
});

test('without one there is no such stage', async () => {
  const { deploy, addApplication } = product();
  const { stages } = await deploy(await addApplication('plain'));
  expect(stages?.map(({ name }) => name)).not.toContain('post-release');
});

test('a command that cannot be run to its end has failed as well, and a rollback runs none', async () => {
  const { memory, deploy, logOf, addApplication } = product();
  const removed = async (): Promise<number> => {
    const found = [...memory.state.services.values()].find(({ spec }) => spec.Name.includes('-after-'));
    await memory.engine.removeService(found?.spec.Name ?? '');
    return 0;
  };
  memory.addImage('local/lasting:1', { ...web, programs: { ...web.programs, 'warm-up': removed } });
  const service = await addApplication('lasting', {
    containerImage: 'local/lasting:1',
    postReleaseCommand: ['warm-up'],
  });
  const ended = await deploy(service);
  const reason = /^The post-release command did not end: The task .* was removed before it ended; the new/;
  expect(ended).toMatchObject({ status: 'done', errorMessage: expect.stringMatching(reason) });
  expect(logOf(ended)).toContain(ended.errorMessage);
  const back = await deploy(service, { kind: 'rollback', sourceDeploymentId: ended.deploymentId });
  expect(back).toMatchObject({ status: 'done', errorMessage: null });
});
