/** `berth ci setup`: a ready file for a forge's runners, and a key that may do no more than deploy. */
import { printable } from '../output/printable.ts';
import { createClient } from '../../client/client.ts';
import { UsageError } from '../usage-error.ts';
import { signInAsking } from '../login.ts';
import { askSecret } from '../terminal.ts';
import type { Context } from './parts/context.ts';
import { isDatabase, nameOf, serviceOf, type Service } from './parts/services.ts';
import type { Word } from './parts/word.ts';

interface Forge {
  title: string;
  /** Where the file goes in the repository. */
  path: string;
  /** Where the forge keeps secrets. */
  secrets: string;
  file(job: Job): string;
}

interface Job {
  url: string;
  branch: string;
  /** Digest that the program has to have; undefined where https says from whom it comes. */
  sha256: string | undefined;
  service: string;
}

/** Lines that take the program from the installation and deploy; `folder` is one of the runner's. */
function steps({ service, sha256 }: Job, folder: string, commit: string): string[] {
  const program = `"${folder}/berth.mjs"`;
  return [
    `curl -fsS "$BERTH_URL/cli/berth.mjs" -o ${program}`,
    ...(sha256 === undefined ? [] : [`echo "${sha256}  ${folder}/berth.mjs" | sha256sum --check`]),
    `node ${program} deploy ${service} --commit "${commit}" --wait`,
  ];
}

/** Runners of GitHub, Gitea and Forgejo read the same files. */
const actions = (job: Job): string => `name: Deploy
on:
  push:
    branches: [${JSON.stringify(job.branch)}]
concurrency: deploy
jobs:
  deploy:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
      - run: |
${steps(job, '$RUNNER_TEMP', '$GITHUB_SHA')
  .map((line) => `          ${line}`)
  .join('\n')}
        env:
          BERTH_URL: ${JSON.stringify(job.url)}
          BERTH_API_KEY: \${{ secrets.BERTH_API_KEY }}
`;

const forges: Readonly<Record<string, Forge>> = {
  github: {
    title: 'GitHub Actions',
    path: '.github/workflows/deploy.yml',
    secrets: 'Settings, Secrets and variables, Actions',
    file: actions,
  },
  gitlab: {
    title: 'GitLab CI',
    path: '.gitlab-ci.yml',
    secrets: 'Settings, CI/CD, Variables (masked, protected)',
    file: (job) => `deploy:
  image: node:24
  resource_group: deploy
  timeout: 30 minutes
  rules:
    - if: $CI_COMMIT_BRANCH == ${JSON.stringify(job.branch)}
  variables:
    BERTH_URL: ${JSON.stringify(job.url)}
  script:
    - |
${steps(job, '/tmp', '$CI_COMMIT_SHA')
  .map((line) => `      ${line}`)
  .join('\n')}
`,
  },
  gitea: {
    title: 'Gitea Actions',
    path: '.gitea/workflows/deploy.yml',
    secrets: 'Settings, Actions, Secrets',
    file: actions,
  },
  forgejo: {
    title: 'Forgejo Actions',
    path: '.forgejo/workflows/deploy.yml',
    secrets: 'Settings, Actions, Secrets',
    file: actions,
  },
};

const setup: Word = {
  name: 'ci setup',
  usage: 'github|gitlab|gitea|forgejo [service]',
  summary: 'prints a CI configuration that deploys, and creates its API key',
  description:
    'Prints the file to standard output; with --json it stands in an object. The runner takes the command ' +
    'line from this Berth (/cli/berth.mjs), by the address of --runner-url. With --email it signs in with ' +
    'a password and creates a key that may deploy, read what deploying needs, and nothing else; the key is ' +
    'shown once, on standard error. A ' +
    'service built from git needs a key that may read and deploy; uploads and images need one that may ' +
    'change applications, too. Keys are restricted by procedure, not by service: the key works wherever ' +
    'its owner does.',
  options: {
    email: { value: 'EMAIL', description: 'signs in as this account to create the key' },
    branch: { value: 'BRANCH', description: 'branch to deploy; default: main' },
    'runner-url': {
      value: 'URL',
      description: 'where runners reach this Berth; default: the address that you use',
    },
    sha256: {
      value: 'DIGEST',
      description: 'of the program, as ./bin/up prints it; required where the address is plain http',
    },
  },
  most: 2,
  calls: ['project.all', 'application.one', 'user.get', 'user.createApiKey'],
  async run(context) {
    const [forgeName = '', name] = context.args;
    const forge = forges[forgeName];
    if (!forge)
      throw new UsageError(`Which forge? Usage: berth ci setup ${Object.keys(forges).join('|')} [service]`);
    const { connection } = await context.berth();
    const service = await serviceOf(context, name);
    if (isDatabase(service))
      throw new UsageError(`${nameOf(service)} is a database and not deployed from a forge.`);
    const url = addressFor(context, connection.url);
    const file = forge.file({
      url,
      branch: plain('branch', context.text('branch') ?? 'main'),
      sha256: digestFor(context, url),
      service: quotedForShell(nameOf(service)),
    });
    // The file itself, redirected too; as an object only where it was asked for.
    if (context.isJson && !context.is('json')) context.terminal.out(file);
    else context.answer({ forge: forgeName, path: forge.path, file }, () => file);
    if (isLoopback(url))
      context.say(
        `Runners do not reach ${url}: it leads to themselves. Name an address that they reach with ` +
          '--runner-url.',
      );
    context.say(
      `Put it into ${forge.path}, and the key as BERTH_API_KEY into ${forge.title}: ${forge.secrets}.`,
    );
    const key = await keyFor(context, service);
    context.say(
      key === undefined
        ? 'With --email EMAIL a key that may only deploy is created, too.'
        : `The key, shown only this once: ${key}`,
    );
  },
};

function addressFor(context: Context, own: string): string {
  const text = context.text('runner-url') ?? own;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError(`--runner-url is "${text}"; give an address such as https://berth.example.com.`);
  return `${url.origin}${url.pathname}`.replace(/\/$/, '');
}

const isLoopback = (url: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

function digestFor(context: Context, url: string): string | undefined {
  const digest = context.text('sha256');
  if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest))
    throw new UsageError(`--sha256 is "${digest}"; a SHA-256 has 64 hex digits. ./bin/up prints it.`);
  if (digest === undefined && url.startsWith('http:') && !isLoopback(url))
    throw new UsageError(
      `${url} is plain http: whoever is on the way to it could change the program that the runner runs, ` +
        'and read its key. Name an https address with --runner-url, or give the digest that ./bin/up ' +
        'printed with --sha256.',
    );
  return digest;
}

/** What stands in a file and in a line of a shell must be nothing but a name. */
function plain(option: string, text: string): string {
  if (!/^[\w@./:+~-]+$/.test(text))
    throw new UsageError(`--${option} is "${text}", which is not a valid name.`);
  return text;
}

/**
 * A service's name in a line of a shell that stands in YAML, which the forge expands before: letters, digits
 * and a few signs that mean nothing to any of the three.
 */
function quotedForShell(text: string): string {
  if (!/^[\p{L}\p{N}._/ -]+$/u.test(text))
    throw new UsageError(
      `${printable(text)} has signs in its name that mean something to a forge or a shell. Rename the ` +
        'service (letters, digits, blanks, ".", "-" and "_"), then run this again.',
    );
  return /^[\w./-]+$/.test(text) ? text : `'${text}'`;
}

async function keyFor(context: Context, service: Service): Promise<string | undefined> {
  const email = context.text('email');
  if (email === undefined) return undefined;
  const { client, connection } = await context.berth();
  const needsChange = await isChangedByDeploy(client, service);
  const { organizationId } = await client.user.get();
  const password = await askSecret(context.terminal, 'Password: ');
  const session = await signInAsking({ url: connection.url, email, password }, context.terminal);
  const may = needsChange ? ['read', 'deploy', 'write'] : ['read', 'deploy'];
  const { key } = await createClient(session).user.createApiKey({
    name: `ci ${nameOf(service)}`.slice(0, 100),
    metadata: { organizationId },
    permissions: {
      project: ['read'],
      [service.kind === 'compose' ? 'compose' : 'application']: may,
      deployment: ['read'],
    },
  });
  return key;
}

/** An upload, an image and a compose file of the record are changes of the service. */
async function isChangedByDeploy(
  client: Awaited<ReturnType<Context['berth']>>['client'],
  { kind, id }: Service,
): Promise<boolean> {
  if (kind === 'compose') return (await client.compose.one({ composeId: id })).sourceType === 'raw';
  const { sourceType, repository } = await client.application.one({ applicationId: id });
  return sourceType === 'drop' || sourceType === 'container' || (sourceType === 'github' && !repository);
}

export const ciWords: readonly Word[] = [setup];
