import { any, type Rows } from '../row.ts';

const application = { applicationId: '<applicationId>' };
/** The fields of the document's table. */
const record = {
  applicationId: '<applicationId>', name: 'web', appName: '<appName>', description: '', sourceType: any.text, buildType: any.text, applicationStatus: 'idle', replicas: 1, env: '', buildArgs: any.textOrNull, buildSecrets: any.textOrNull,
  memoryLimit: any.textOrNull, memoryReservation: any.textOrNull, cpuLimit: any.textOrNull, cpuReservation: any.textOrNull, repository: any.textOrNull, owner: any.textOrNull, branch: any.textOrNull, buildPath: any.text, dockerfile: any.text,
  dockerContextPath: any.textOrNull, dockerBuildStage: any.textOrNull, containerContextPath: any.textOrNull, containerBuildStage: any.textOrNull, autoDeploy: any.boolean, createdAt: any.time, refreshToken: any.text,
  environmentId: '<environmentId>', serverId: any.textOrNull, githubId: any.textOrNull, hasGitProviderAccess: any.boolean, unauthorizedProvider: any.textOrNull, pendingChanges: any.list,
  environment: { environmentId: '<environmentId>', name: 'production', projectId: '<projectId>', project: { projectId: '<projectId>', name: 'Shop', organizationId: '<organizationId>' } },
  deployments: any.list, domains: any.list, ports: any.list, mounts: any.list, command: any.textOrNull, args: any.list,
  previewEnv: any.textOrNull, previewBuildArgs: any.textOrNull, previewBuildSecrets: any.textOrNull, previewWildcard: any.textOrNull, previewPort: any.number, previewPath: any.text, previewHttps: any.boolean, previewCertificateType: any.text,
  password: any.absent, customGitPassword: any.absent, webhookSecret: any.absent,
};
const update = (input: object, then: object): Rows[number] => ({ call: 'application.update', input: { ...application, ...input }, gives: { success: true }, after: [{ call: 'application.one', input: application, gives: then }] });
const refusedUpdate = (input: object, field: string): Pick<Rows[number], 'call' | 'input' | 'refused' | 'field'> => ({ call: 'application.update', input: { ...application, ...input }, refused: 'BAD_REQUEST', field });

export const applicationRows: Rows = [
  { rule: 'an appName is made from the name when it is absent', call: 'application.create', input: { name: 'My Shop', environmentId: '<environmentId>' }, gives: { applicationId: any.id, name: 'My Shop', appName: any.matching(/^my-shop-[a-z0-9]{6}$/i), sourceType: 'github', buildType: 'nixpacks', applicationStatus: 'idle' } },
  { call: 'application.create', input: { name: 'shop', appName: '<prefix>-Shop', environmentId: '<environmentId>', description: 'Sells' }, gives: { appName: '<prefix>-Shop', description: 'Sells', createdAt: any.time, refreshToken: any.text } },
  { rule: 'an appName is unique without regard to case', call: 'application.create', input: { name: 'shop', appName: '<foreign.appName>', environmentId: '<environmentId>' }, refused: 'CONFLICT' },
  { rule: 'an appName is unique without regard to case', call: 'application.update', before: [{ call: 'application.create', input: { name: 'shop', appName: '<prefix>-TAKEN', environmentId: '<environmentId>' } }], input: { ...application, appName: '<prefix>-taken' }, refused: 'CONFLICT' },
  { rule: 'an appName is unique without regard to case', call: 'application.update', input: { ...application, appName: '<mysqlAppName>' }, refused: 'CONFLICT' },
  ...['-shop', 'shop-', 'sh.op', 'sh op', 's'.repeat(64)].map((appName): Rows[number] => ({ rule: 'an appName has its grammar', call: 'application.create', input: { name: 'shop', appName, environmentId: '<environmentId>' }, refused: 'BAD_REQUEST', field: 'appName' })),
  { rule: 'a member creates and deletes with the grant only', call: 'application.create', as: 'member', input: { name: 'shop', environmentId: '<environmentId>' }, refused: 'FORBIDDEN' },
  { rule: 'an id nested in a body is checked likewise', call: 'application.create', input: { name: 'shop', environmentId: '<environmentId>', serverId: '<foreign.serverId>' }, refused: 'FORBIDDEN' },
  { call: 'application.one', input: application, gives: record },
  { rule: 'another organization\'s thing is 403, none is 404', call: 'application.one', input: { applicationId: '<foreign.applicationId>' }, refused: 'FORBIDDEN' },
  { rule: 'another organization\'s thing is 403, none is 404', call: 'application.one', input: { applicationId: 'none' }, refused: 'NOT_FOUND' },
  { rule: 'a member sees what is assigned', call: 'application.one', as: 'member', input: application, refused: 'FORBIDDEN' },
  { rule: 'a member sees what is assigned', call: 'application.one', as: 'granted', input: application, gives: { applicationId: '<applicationId>' } },
  update({ name: 'Web', description: 'New', memoryLimit: '512m', memoryReservation: '256m', cpuLimit: '1.5', cpuReservation: '500000000', replicas: 3, autoDeploy: false, command: 'node x.js', args: ['--a', 'b'] }, { name: 'Web', description: 'New', memoryLimit: '512m', memoryReservation: '256m', cpuLimit: '1.5', replicas: 3, autoDeploy: false, command: 'node x.js', args: ['--a', 'b'] }),
  { rule: 'absent fields stay, null clears', ...update({ memoryLimit: null, description: null }, { memoryLimit: null, description: '', name: 'web' }), before: [{ call: 'application.update', input: { ...application, memoryLimit: '1g', description: 'x' } }] },
  ...['512mb', '-1', '1t', ''].map((memoryLimit): Rows[number] => ({ rule: 'memory and CPU have their grammar', ...refusedUpdate({ memoryLimit }, 'memoryLimit') })),
  ...['half', '0', '-1', '999999'].map((cpuLimit): Rows[number] => ({ rule: 'memory and CPU have their grammar', ...refusedUpdate({ cpuLimit }, 'cpuLimit') })),
  { rule: 'both names of context path and build stage', ...update({ dockerContextPath: 'src', containerBuildStage: 'release' }, { dockerContextPath: 'src', containerContextPath: 'src', dockerBuildStage: 'release', containerBuildStage: 'release' }) },
  { rule: 'both names of context path and build stage', ...refusedUpdate({ dockerContextPath: 'a', containerContextPath: 'b' }, 'dockerContextPath') },
  { rule: 'docker is stored as container', ...update({ sourceType: 'docker' }, { sourceType: 'container' }) },
  { rule: 'applicationStatus is set by hand', ...update({ applicationStatus: 'error' }, { applicationStatus: 'error' }) },
  { rule: 'applicationStatus is set by hand', ...refusedUpdate({ applicationStatus: 'paused' }, 'applicationStatus') },
  ...[{ previewCustomCertResolver: 'nobody' }, { previewCertificateType: 'custom' }].map((input): Rows[number] => refusedUpdate(input, 'previewCustomCertResolver')),
  { rule: 'another serverId is 400', ...refusedUpdate({ serverId: '<serverId>' }, 'serverId') },
  { rule: 'environmentId in an update moves', ...update({ environmentId: '<otherEnvironmentId>' }, { environmentId: '<otherEnvironmentId>' }) },
  { rule: 'an id nested in a body is checked likewise', call: 'application.update', input: { ...application, customGitSSHKeyId: '<foreign.sshKeyId>' }, refused: 'FORBIDDEN' },
  { rule: 'unknown keys are ignored', ...update({ createdAt: '2000-01-01', applicationId2: 'x', deployments: [] }, { createdAt: '2026-06-01T00:00:00.000Z' }) },
  { rule: 'the source is set in one call', call: 'application.saveBuildType', input: { ...application, buildType: 'dockerfile', dockerfile: 'ops/Dockerfile', dockerContextPath: '.', dockerBuildStage: 'app' }, gives: { buildType: 'dockerfile', dockerfile: 'ops/Dockerfile', dockerBuildStage: 'app' } },
  { rule: 'the source is set in one call', call: 'application.saveGitProvider', input: { ...application, customGitUrl: 'https://git.example.com/a/b.git', customGitBranch: 'main', customGitSSHKeyId: '<sshKeyId>' }, gives: { sourceType: 'git', customGitUrl: 'https://git.example.com/a/b.git', customGitBranch: 'main', customGitSSHKeyId: '<sshKeyId>' } },
  ...[['saveGithubProvider', 'github'], ['saveGitlabProvider', 'gitlab'], ['saveBitbucketProvider', 'bitbucket'], ['saveGiteaProvider', 'gitea']].map(([name, sourceType]): Rows[number] => ({
    rule: 'the source is set in one call', call: `application.${name}`, input: { ...application, owner: 'acme', repository: 'shop', branch: 'main', buildPath: '/' }, gives: { sourceType, owner: 'acme', repository: 'shop', branch: 'main' },
  })),
  { rule: 'the source is set in one call', call: 'application.saveContainerProvider', input: { ...application, containerImage: 'nginx:1.29', username: 'u', password: 'hidden-image-password' }, gives: { sourceType: 'container', containerImage: 'nginx:1.29', username: 'u' } },
  { call: 'application.saveEnvironment', input: { ...application, env: 'A=1\nB="two"', buildArgs: 'C=3', createEnvFile: true }, gives: { env: 'A=1\nB="two"', buildArgs: 'C=3', createEnvFile: true } },
  { call: 'application.dropDeployment', input: application, gives: true, after: [{ call: 'application.one', input: application, gives: { sourceType: 'drop' } }] },
  { rule: 'start before any release is 412', call: 'application.start', input: application, refused: 'PRECONDITION_FAILED', says: 'deploy' },
  { call: 'application.stop', needs: 'engine', input: application, gives: { applicationId: '<applicationId>', applicationStatus: 'idle' } },
  { rule: 'reload needs the record\'s appName', call: 'application.reload', input: { ...application, appName: 'another' }, refused: 'BAD_REQUEST', field: 'appName' },
  { rule: 'start before any release is 412', call: 'application.reload', input: { ...application, appName: '<appName>' }, refused: 'PRECONDITION_FAILED' },
  { rule: 'a deploy is queued and the status is running', call: 'application.deploy', input: application, gives: true, after: [{ call: 'deployment.all', input: application, gives: [{ status: any.matching(/^(queued|running|error)$/), title: 'Manual deployment', description: '' }, { status: 'error' }] }] },
  { rule: 'titles have their defaults', call: 'application.deploy', input: { ...application, title: 'Release 4', description: 'With a title' }, gives: true, after: [{ call: 'deployment.all', input: application, gives: [{ title: 'Release 4', description: 'With a title' }, {}] }] },
  { rule: 'redeploy needs a deployed version', call: 'application.redeploy', input: application, refused: 'PRECONDITION_FAILED', says: 'deploy' },
  { rule: 'cancelDeployment is for cloud environments; use killBuild', call: 'application.cancelDeployment', input: application, refused: 'PRECONDITION_FAILED', says: 'killBuild' },
  { rule: 'killBuild with nothing building changes nothing', call: 'application.killBuild', input: application, gives: { applicationId: '<applicationId>', applicationStatus: 'idle' } },
  { rule: 'cleanQueues cancels what is queued', call: 'application.cleanQueues', needs: 'engine', input: application, gives: { applicationId: '<applicationId>' } },
  { rule: 'clearDeployments keeps what is live and unfinished', call: 'application.clearDeployments', input: application, gives: { applicationId: '<applicationId>' }, after: [{ call: 'deployment.all', input: application, gives: [] }] },
  { call: 'application.delete', needs: 'engine', input: application, gives: { applicationId: '<applicationId>', name: 'web', appName: '<appName>', keptVolumes: any.list }, after: [{ call: 'application.one', input: application, refused: 'NOT_FOUND' }] },
  { rule: 'volumes stay unless deleteVolumes', call: 'application.delete', needs: 'engine', input: { ...application, deleteVolumes: true }, gives: { keptVolumes: [] } },
  { rule: 'a member creates and deletes with the grant only', call: 'application.delete', as: 'member', input: application, refused: 'FORBIDDEN' },
  { call: 'application.move', input: { ...application, targetEnvironmentId: '<otherEnvironmentId>' }, gives: { applicationId: '<applicationId>', environmentId: '<otherEnvironmentId>' } },
  { rule: 'a move stays in the organization', call: 'application.move', input: { ...application, targetEnvironmentId: '<foreign.environmentId>' }, refused: 'FORBIDDEN' },
  { rule: 'refreshToken makes a new token', call: 'application.refreshToken', before: [{ call: 'application.one', input: application, gives: { refreshToken: '<prefix>-token-application' } }], input: application, gives: { success: true }, after: [{ call: 'application.one', input: application, gives: { refreshToken: any.matching(/^[a-zA-Z0-9]{32}$/) } }] },
  { rule: 'start before any release is 412', call: 'application.run', input: { ...application, command: ['true'] }, refused: 'PRECONDITION_FAILED' },
  { call: 'application.readLogs', needs: 'engine', input: application, gives: any.list },
  { rule: 'a stream without its Accept is one JSON', call: 'application.logs', needs: 'engine', input: application, gives: { lines: any.list, lastEventId: any.textOrNull } },
];

const deployment = {
  deploymentId: any.id, applicationId: '<applicationId>', title: any.text, description: any.text, status: any.text, stage: any.textOrNull, commit: any.textOrNull, image: any.textOrNull, errorMessage: any.textOrNull, createdAt: any.time,
  startedAt: any.textOrNull, finishedAt: any.textOrNull, settings: any.absent,
};

export const deploymentRows: Rows = [
  { call: 'deployment.all', input: application, gives: [deployment] },
  { call: 'deployment.one', input: { deploymentId: '<deploymentId>' }, gives: { ...deployment, status: 'error' } },
  { rule: 'another organization\'s thing is 403, none is 404', call: 'deployment.one', input: { deploymentId: '<foreign.deploymentId>' }, refused: 'FORBIDDEN' },
  { rule: 'a deployment\'s log is read and streamed', call: 'deployment.readLogs', input: { deploymentId: '<deploymentId>' }, gives: any.list },
  { rule: ['a deployment\'s log is read and streamed', 'a stream without its Accept is one JSON'], call: 'deployment.logs', input: { deploymentId: '<deploymentId>' }, gives: { lines: any.list, lastEventId: any.textOrNull } },
  { call: 'deployment.rollback', input: { deploymentId: '<deploymentId>' }, refused: 'PRECONDITION_FAILED' },
];
