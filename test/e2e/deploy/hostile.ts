/**
 * Hostile text in what reaches programs, deployed for real: git, the builder, the engine and the service get
 * it as data, and none of it runs.
 */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatEnv } from '../../../server/src/domain/variables/dotenv.ts';
import type { BerthHost } from '../fixtures/berth-host.ts';
import { createCanaries, type Canaries } from '../hostile/canaries.ts';
import { archiveOf } from '../fixtures/caller.ts';
import {
  digestOf,
  tellingArguments,
  tellingBuild,
  tellingServer,
  writingArguments,
} from '../hostile/hostile-sources.ts';
import { hostileValues } from '../hostile/hostile-values.ts';
import { createRepository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import {
  docker,
  expectCalmLog,
  newest,
  output,
  until,
  type App,
  type ApplicationFixture,
} from '../fixtures/applications.ts';

let berth: BerthHost;
let shop: ApplicationFixture;
let canaries: Canaries;
/** What a variable or an argument of a program can be at all. */
let texts: string[];

export function hostileTests(place: () => ApplicationFixture): void {
  beforeAll(() => {
    shop = place();
    berth = shop.berth;
    canaries = createCanaries(berth.host, berth.services);
    texts = hostileValues(canaries.fileOf)
      .map(({ text }) => text)
      .filter((text) => text.length <= 5000 && !text.includes('\0') && text.isWellFormed());
  });

  describe('a repository', () => {
    repositoryTests();
  });
  describe('an upload', () => {
    uploadTests();
  });
  describe('a service', () => {
    hostileServiceTests();
  });

  it('has executed nothing, and Berth met nothing unexpected', async () => {
    expect(await canaries.found()).toEqual([]);
    await expectCalmLog(berth);
  });
}

/** In a block of variables `${{` begins a reference, and `$${{` stands for it. */
function literally(text: string): string {
  return text.replaceAll('${{', () => '$${{');
}

/** Ways to run something, in characters that a branch of git may have. */
const branches = (touch: (index: number) => string): string[] => [
  `$(${touch(1000)})`,
  `\`${touch(1001)}\``,
  `;${touch(1002)};`,
  `a|${touch(1003)}`,
  `a&&${touch(1004)}`,
  `'"$(${touch(1005)})"'`,
];
/**
 * Names of folders and files: options, substitutions, and what a program would take for another kind of
 * place.
 */
const folders = (touch: (index: number) => string): string[] => [
  `$(${touch(1010)})`,
  '--build-arg=X=1',
  '-',
  `; ${touch(1013)} ;`,
  'type=bind,source=/,"x',
  'http://example.com:80/x.git#main',
];
const files = (touch: (index: number) => string): string[] => [
  '--help',
  `$(${touch(1021)}).Dockerfile`,
  '-f',
  `\`${touch(1023)}\``,
  'a b,c"d\'e',
  '{{.Node.ID}}',
];

function repositoryTests(): void {
  it('with hostile names of branch, folders and Dockerfile is built by exactly these', async () => {
    const touch = (index: number): string => `touch\${IFS}${canaries.fileOf(index)}`;
    const { busybox = '', start = '', Dockerfile = '' } = tinyFiles('');
    const apps = await Promise.all(
      branches(touch).map(async (branch, index) => {
        const [path = '', context = '', file = ''] = [
          folders(touch)[index],
          folders(touch).at(-1 - index),
          files(touch)[index],
        ];
        const app = await shop.application(`named-${index}`);
        const repository = await createRepository(berth.host, `named-${index}`, {
          'README.md': 'the default branch has nothing to build',
        });
        const below = `${path}/${context}`;
        await repository.commit(
          {
            [`${path}/${file}`]: Dockerfile,
            [`${below}/busybox`]: busybox,
            [`${below}/start`]: start,
            [`${below}/www/index.html`]: `built from number ${index}`,
          },
          branch,
        );
        await app.do('application.saveGitProvider', {
          customGitUrl: repository.url,
          customGitBranch: branch,
          customGitBuildPath: path,
        });
        await app.do('application.saveBuildType', {
          buildType: 'dockerfile',
          dockerfile: file,
          containerContextPath: below,
        });
        return app;
      }),
    );
    await Promise.all(apps.map((app) => app.deploy()));
    for (const [index, app] of apps.entries())
      expect((await app.answer()).body).toBe(`built from number ${index}`);
  });

  it('gives build arguments and build secrets as they are', async () => {
    // A variable's reference is the one thing that is not literal; written with another "$" it is.
    const literal = texts.filter((text) => text !== '').map(literally);
    const app = await shop.fromFiles('arguments', tellingBuild(literal.length));
    const blockOf = (letter: string): string =>
      formatEnv(Object.fromEntries(literal.map((text, index) => [`${letter}${index}`, text])));
    await app.do('application.saveEnvironment', { buildArgs: blockOf('A'), buildSecrets: blockOf('S') });
    await app.deploy();
    const expected = digestOf(texts.filter((text) => text !== ''));
    expect(JSON.parse((await app.answer()).body)).toEqual({
      arguments: expected,
      secrets: expected,
      canaries: [],
    });
    console.log(
      `hostile deploy: ${literal.length} values as build arguments and as build secrets, equal byte for byte`,
    );
  });

  it('cannot run anything through its submodules', async () => {
    const touch = (index: number): string => `touch ${canaries.fileOf(index)}`;
    const addresses = [
      `ext::sh -c ${touch(1030).replaceAll(' ', '% ')}`,
      `-oProxyCommand=${touch(1031)}`,
      `--upload-pack=${touch(1032)}`,
      `ssh://-oProxyCommand=${touch(1033)}/x`,
      `!${touch(1034)}`,
      'file:///etc',
      '/root',
    ];
    const app = await shop.fromFiles('submodules', tinyFiles('never'));
    // The commit of a submodule that nobody has, beside what is there.
    const script =
      'git read-tree main; git update-index --add --cacheinfo "160000,$1,s"; git update-ref ' +
      '"refs/heads/$2" "$(git -c user.name=A -c user.email=a@example.com commit-tree "$(git ' +
      'write-tree)" -m "With a submodule")"';
    for (const [index, address] of addresses.entries()) {
      await app.repository.commit({
        '.gitmodules':
          `[submodule "s"]\n path = s\n url = ${JSON.stringify(address)}\n update = ` +
          `!${touch(1040 + index)}\n`,
      });
      await output(
        berth.host,
        'env',
        `GIT_DIR=${app.repository.path}`,
        'sh',
        '-e',
        '-c',
        script,
        'sh',
        '1'.repeat(40),
        `submodule-${index}`,
      );
      await app.do('application.saveGitProvider', {
        customGitUrl: app.repository.url,
        customGitBranch: `submodule-${index}`,
        enableSubmodules: true,
      });
      const { status, stage, errorMessage } = await app.ended(await app.begin());
      expect({ status, stage }, address).toEqual({ status: 'error', stage: 'checkout' });
      expect(errorMessage, address).toMatch(/submodule/i);
    }
  });

  it('of a hostile name is only asked for, by ssh with a key that may log in', async () => {
    const touch = (index: number): string => `touch\${IFS}${canaries.fileOf(index)}`;
    const { sshKeyId } = await berth.call<{ sshKeyId: string }>('sshKey.create', {
      name: 'root',
      privateKey: await readFile(berth.host.sshKeyPath, 'utf8'),
    });
    const app = await shop.application('hostile-ssh');
    const paths = [
      `$(${touch(1050)})`,
      `\`${touch(1051)}\``,
      `';${touch(1052)};'`,
      `x';${touch(1053)};echo'`,
      `--upload-pack=${touch(1054)}`,
      `x|${touch(1055)}`,
    ];
    for (const address of paths.flatMap((path) => [
      `ssh://root@${berth.host.ip}/${path}`,
      `root@${berth.host.ip}:x/${path}`,
    ])) {
      await app.do('application.saveGitProvider', {
        customGitUrl: address,
        customGitBranch: 'main',
        customGitSSHKeyId: sshKeyId,
      });
      const { status, stage, errorMessage } = await app.ended(await app.begin());
      expect({ status, stage }, address).toEqual({ status: 'error', stage: 'checkout' });
      expect(errorMessage, address).toMatch(
        /no repository|does not exist|not found|cannot be read|is not there/i,
      );
    }
  });
}

function uploadTests(): void {
  it('keeps hostile names of files and folders as names', async () => {
    const app = await shop.application('hostile-upload', { port: 80 });
    const names = [
      ...texts.filter(
        (text) =>
          /^[^/\\\p{Cc}]{1,200}$/u.test(text) &&
          !/^[A-Za-z]:/.test(text) &&
          !/^[.\s]+$/.test(text) &&
          text !== '-rf ',
      ),
      'a b;c',
      '-rf',
      '--',
      '*',
    ];
    const folder = `$(touch ${canaries.fileOf(1060)});--x`.replaceAll('/', ' ');
    const distinct = [...new Set(names.map((name) => name.normalize()))];
    await app.do('application.saveBuildType', { buildType: 'static', publishDirectory: folder });
    await upload(
      app,
      await archiveOf(
        Object.fromEntries(distinct.map((name, index) => [`${folder}/${name}`, `file ${index}`])),
      ),
    );
    for (const [index, name] of distinct.entries())
      expect
        .soft(await app.answer(`/${encodeURIComponent(name)}`), name)
        .toMatchObject({ status: 200, body: `file ${index}` });
    console.log(`hostile deploy: ${distinct.length} files of an upload served under their own names`);
  });
}

async function upload(app: App, archive: Uint8Array<ArrayBuffer>): Promise<void> {
  const form = new FormData();
  form.append('applicationId', app.id);
  form.append('file', new Blob([archive]), 'source.tar');
  const answer = await fetch(`${berth.url}/api/application.dropDeployment`, {
    method: 'POST',
    headers: berth.signed(),
    body: form,
    signal: AbortSignal.timeout(30_000),
  });
  expect([answer.status, await answer.text()]).toEqual([200, 'true']);
  const { deploymentId } = newest(await app.view());
  const { status, errorMessage } = await app.ended(deploymentId);
  expect({ status, errorMessage }).toEqual({ status: 'done', errorMessage: null });
}

function hostileServiceTests(): void {
  it('gets variables, arguments, files, labels and folders as they are, and so do its commands', async () => {
    const app = await shop.fromImage('service', 'node');
    const filePath = '/files/$(id) "a" \'b\' {{.Node.ID}} ;c';
    const folder = '/srv/{{"git"}} $(id)';
    await output(berth.services, 'mkdir', '-p', folder);
    await output(berth.services, 'sh', '-c', 'printf "of the host" > "$1/mark"', 'sh', folder);
    const labels = Object.fromEntries(texts.map((text, index) => [`team.label${index}`, text]));
    await app.do('application.update', {
      args: ['-e', tellingServer, '--', ...texts],
      labels,
      preReleaseCommand: ['node', '-e', tellingArguments, '--', ...texts.slice(0, 90)],
      healthCheck: {
        command: ['node', '-e', writingArguments, '--', ...texts.slice(0, 90)],
        interval: 2,
        timeout: 10,
        retries: 10,
        startPeriod: 10,
      },
    });
    await app.do('application.saveEnvironment', {
      env: formatEnv(Object.fromEntries(texts.map((text, index) => [`V${index}`, literally(text)]))),
    });
    await app.do('mount.create', { type: 'file', content: texts.join('\n'), mountPath: filePath });
    await app.do('mount.create', { type: 'bind', hostPath: folder, mountPath: '/host {{.Node.ID}} $(id)' });
    const { deploymentId } = await app.deploy();

    const told: unknown = JSON.parse((await app.answer()).body);
    expect(told).toEqual({
      variables: Object.fromEntries(texts.map((text, index) => [`V${index}`, text])),
      args: texts,
      canaries: [],
    });
    const fileOf = async (path: string): Promise<string> =>
      (await app.answer(`/file?${encodeURIComponent(path)}`)).body;
    expect(await fileOf(filePath)).toBe(texts.join('\n'));
    expect(await fileOf('/host {{.Node.ID}} $(id)/mark')).toBe('of the host');
    await until(
      'the health check has run',
      async () => (await fileOf('/told')) === digestOf(texts.slice(0, 90)),
    );
    expect(await app.log(deploymentId)).toContain(`told ${digestOf(texts.slice(0, 90))} []`);
    const shown: unknown = JSON.parse(
      await output(
        berth.services,
        docker,
        'service',
        'inspect',
        '--format',
        '{{json .Spec.Labels}}',
        app.appName,
      ),
    );
    expect(shown).toMatchObject(labels);
    const { exitCode, log } = await app.do<{ exitCode: number; log: { text: string }[] }>('application.run', {
      command: ['node', '-e', tellingArguments, '--', ...texts],
    });
    expect({ exitCode, text: log.map(({ text }) => text) }).toEqual({
      exitCode: 0,
      text: [`told ${digestOf(texts)} []`],
    });
    console.log(
      `hostile deploy: ${texts.length} values as variables, arguments, labels and in commands, equal ` +
        'byte for byte',
    );
  });

  it('cannot reach a protected folder through what the engine reads as a template', async () => {
    const app = await shop.fromImage(
      'reaching',
      `node -e "require('http').createServer(() => {}).listen(3000)"`,
    );
    const mount = await app.do<{ mountId: string }>('mount.create', {
      type: 'bind',
      hostPath: '/var/lib/{{"docker"}}',
      mountPath: '/host',
    });
    const { status, errorMessage } = await app.ended(await app.begin());
    expect(status).toBe('error');
    expect(errorMessage).toContain('{{"docker"}}');
    await berth.call('mount.remove', { mountId: mount.mountId });
  });

  it('with a variable that no program can be given is an error that says so', async () => {
    const app = await shop.fromImage(
      'too-large',
      `node -e "require('http').createServer(() => {}).listen(3000)"`,
    );
    await app.do('application.saveEnvironment', { env: `LARGE=${'x'.repeat(400_000)}` });
    const { status, errorMessage } = await app.ended(await app.begin());
    expect(status).toBe('error');
    expect(errorMessage).toBe(
      'env: line 1: LARGE is larger than 128 KiB with its name, which the kernel does not pass to ' +
        'programs; put it into a file (mount.create)',
    );
  });
}
