import { describe, expect, test } from 'vitest';
import { familyAnswer, familyField, familyPaths, ownInput } from './family-words.ts';

describe('words of the family', () => {
  test.each([
    ['container.getContainers', ['docker.getContainers']],
    ['application.saveContainerProvider', ['application.saveDockerProvider']],
    ['mount.byApplicationId', ['mounts.byApplicationId', 'mounts.allNamedByApplicationId']],
    ['application.deploy', []],
    ['deployment.rollback', ['rollback.rollback']],
    ['audit.all', ['auditLog.all']],
    ['schedule.all', ['schedule.list']],
    ['volumeBackup.remove', ['volumeBackups.remove', 'volumeBackups.delete']],
    ['sshKey.makePair', ['sshKey.generate']],
  ])('%s is called %j', (own, theirs) => {
    expect(familyPaths(own)).toEqual(theirs);
  });

  test.each([
    ['application.saveContainerProvider', { dockerImage: 'a:1' }, { containerImage: 'a:1' }],
    // What is said in both counts as ours says it.
    ['postgres.create', { dockerImage: 'a:1', containerImage: 'b:2' }, { containerImage: 'b:2' }],
    ['domain.create', { certificateType: 'letsencrypt' }, { certificateType: 'acme' }],
    [
      'application.update',
      { sourceType: 'docker', labels: { sourceType: 'docker' } },
      { sourceType: 'container', labels: { sourceType: 'docker' } },
    ],
    [
      'application.saveGitlabProvider',
      { gitlabOwner: 'a', gitlabBranch: 'b', gitlabId: null },
      { owner: 'a', branch: 'b', githubId: null },
    ],
    ['registry.create', { registryName: 'a' }, { name: 'a' }],
    ['destination.create', { provider: 'Cloudflare' }, { provider: 's3' }],
    ['project.create', { registryName: 'a' }, { registryName: 'a' }],
    [
      'schedule.create',
      { cronExpression: '0 4 * * *', timezone: 'UTC', shellType: 'sh', command: 'a && b' },
      { cron: '0 4 * * *', timeZone: 'UTC', command: ['sh', '-c', 'a && b'] },
    ],
    ['schedule.update', { command: 'a' }, { command: ['bash', '-c', 'a'] }],
    ['schedule.update', { command: ['node', 'a.js'] }, { command: ['node', 'a.js'] }],
    ['schedule.all', { id: 'x', scheduleType: 'compose' }, { composeId: 'x' }],
    ['schedule.all', { applicationId: 'x' }, { applicationId: 'x' }],
    ['deployment.rollback', { rollbackId: 'x' }, { deploymentId: 'x' }],
    ['volumeBackup.byService', { id: 'x', volumeBackupType: 'redis' }, { redisId: 'x' }],
    [
      'volumeBackup.create',
      { cronExpression: '@daily', turnOff: true },
      { schedule: '@daily', serviceDuring: 'stopped' },
    ],
  ])('%s takes %j as %j', (path, theirs, own) => {
    expect(ownInput(path, theirs)).toEqual(own);
  });

  test('a scheduled command that a shell reads is answered as one text', () => {
    const own = { cron: '@daily', timeZone: 'UTC', command: ['sh', '-c', 'a && b'] };
    const theirs = { cronExpression: '@daily', timezone: 'UTC', command: 'a && b', shellType: 'sh' };
    expect(familyAnswer('schedule.one', own)).toEqual(theirs);
    expect(familyAnswer('schedule.all', [{ command: ['node', 'a.js'] }])).toEqual([
      { command: ['node', 'a.js'] },
    ]);
  });

  test('are in answers, but not among what a person named', () => {
    const own = {
      containerImage: 'a:1',
      sourceType: 'container',
      labels: { containerImage: 'x' },
      domains: [{ certificateType: 'acme', requestHeaders: { basicAuthId: '1' } }],
    };
    expect(familyAnswer('application.one', own)).toEqual({
      dockerImage: 'a:1',
      sourceType: 'docker',
      labels: { containerImage: 'x' },
      domains: [{ certificateType: 'letsencrypt', requestHeaders: { basicAuthId: '1' } }],
    });
    expect(familyAnswer('container.getConfig', own)).toEqual(own);
    expect(familyField('registry.create', 'name')).toBe('registryName');
  });
});
