/**
 * A git host's interface over real HTTP, for tests: no real one can be had here, so it answers in the
 * documents' own forms, of the four hosts Berth knows, about one repository `acme/shop`.
 */
import { createVerify } from 'node:crypto';
import {
  createServer as createPlain,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure } from 'node:https';
import { z } from 'zod';
import { addDeployment, addStatus, listDeployments, type HostedDeployment } from './deployments.ts';

export interface GitHost extends AsyncDisposable {
  url: string;
  /** Method and path of each request, in their order. */
  asked: string[];
  /** Credentials seen. */
  credentials: Set<string>;
  /** Full name of the one repository. */
  repository: string;
  /** Names, or ids where the host goes by these, of those who may write. */
  writers: Set<string>;
  /** Numbers of the pull requests that are open; others are closed. */
  open: Set<number>;
  /** What the host says of a pull request, besides its state; plain ones of ada's otherwise. */
  pullRequests: Map<number, Partial<PullRequestOnHost>>;
  /** Comments by their id. */
  comments: Map<number, { number: number; text: string; edits: number }>;
  /** Of commits, as they came; those that the provider's documentation does not allow are refused. */
  statuses: { commit: string; body: Record<string, unknown> }[];
  /** Deployments of GitHub, oldest first. */
  deployments: HostedDeployment[];
  /** Answers this status to everything while it is set. */
  failing: number | undefined;
  /** PEM of a GitHub App, which signs its requests for tokens. */
  appPublicKey: string | undefined;
  /** Given for the code `made`. */
  appPrivateKey: string;
}

export interface PullRequestOnHost {
  title: string;
  base: string;
  head: string;
  commit: string;
  isFork: boolean;
  labels: string[];
  author: { id: number; name: string };
}

export interface GitHostOptions {
  /** Serves https with these. */
  tls?: { key: string; cert: string };
  address?: string;
  repository?: string;
}

export const acceptedToken = 'accepted-token';

export async function startGitHost({
  tls,
  address = '127.0.0.1',
  repository = 'acme/shop',
}: GitHostOptions = {}): Promise<GitHost> {
  const listener: RequestListener = (request, response) =>
    void answer(host, request, response).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    );
  const server = tls ? createSecure(tls, listener) : createPlain(listener);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server has no port.');
  const host: GitHost = {
    url: `${tls ? 'https' : 'http'}://${address}:${bound.port}`,
    asked: [],
    credentials: new Set(),
    repository,
    writers: new Set(),
    open: new Set(),
    pullRequests: new Map(),
    comments: new Map(),
    statuses: [],
    deployments: [],
    failing: undefined,
    appPublicKey: undefined,
    appPrivateKey: '',
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return host;
}

interface Asked {
  host: GitHost;
  /** Parts of the path that the pattern caught. */
  parts: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
}

type Answering = (asked: Asked) => unknown;

const created = Symbol('created');

const repositoryOf = ({ host }: Asked) => ({
  id: 1,
  full_name: host.repository,
  default_branch: 'main',
  private: true,
});
const permissionOf = ({ host, parts: [name = ''] }: Asked) => ({
  permission: host.writers.has(name) ? 'write' : 'read',
  role_name: host.writers.has(name) ? 'maintain' : 'read',
  user: { login: name },
});
const open = ({ host }: Asked, number: string | undefined): boolean => host.open.has(Number(number));
const pullRequestOf = ({ host }: Asked, number: string | undefined): PullRequestOnHost => ({
  title: 'Add a door',
  base: 'main',
  head: 'door',
  commit: 'a'.repeat(40),
  isFork: false,
  labels: [],
  author: { id: 9, name: 'ada' },
  ...host.pullRequests.get(Number(number)),
});
const commentsOf = ({ host }: Asked, number: string | undefined) =>
  [...host.comments].filter(([, comment]) => comment.number === Number(number));

function add({ host }: Asked, number: string | undefined, text: unknown): number {
  const id = host.comments.size + 1001;
  host.comments.set(id, { number: Number(number), text: String(text), edits: 0 });
  return id;
}

function edit({ host }: Asked, id: string | undefined, text: unknown): number | undefined {
  const comment = host.comments.get(Number(id));
  if (!comment) return undefined;
  Object.assign(comment, { text: String(text), edits: comment.edits + 1 });
  return Number(id);
}

const madeOr404 = (made: object | undefined) => made && { [created]: true, ...made };

const noteOf = (id: number | undefined, text: unknown) => (id === undefined ? undefined : { id, body: text });

/** Takes what the provider's documentation allows of a commit's status. */
const statusBy =
  (form: z.ZodType): Answering =>
  ({ host, parts: [commit = ''], body }) => {
    if (!form.safeParse(body).success) return undefined;
    host.statuses.push({ commit, body });
    return { [created]: true, id: host.statuses.length };
  };
const githubStatus = z.strictObject({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  target_url: z.url(),
  description: z.string().max(140),
  context: z.string().min(1),
});
const gitlabStatus = z.strictObject({
  state: z.enum(['pending', 'running', 'success', 'failed', 'canceled', 'skipped']),
  name: z.string().min(1).max(255),
  target_url: z.url().max(255),
  description: z.string().max(255),
});
const bitbucketStatus = z.strictObject({
  state: z.enum(['SUCCESSFUL', 'FAILED', 'INPROGRESS', 'STOPPED']),
  key: z.string().min(1).max(40),
  url: z.url(),
  name: z.string(),
  description: z.string(),
});

/** GitHub's paths, which Gitea has too. */
const likeGithub: Record<string, Answering> = {
  'GET /repos/NAME/branches': () => [
    { name: 'main', protected: true },
    { name: 'feature', protected: false },
  ],
  'GET /repos/NAME/collaborators/([^/]+)/permission': permissionOf,
  'GET /repos/NAME/pulls/(\\d+)': (asked) => {
    const { title, base, head, commit, isFork, labels, author } = pullRequestOf(asked, asked.parts[0]);
    const own = { full_name: asked.host.repository };
    return {
      number: Number(asked.parts[0]),
      state: open(asked, asked.parts[0]) ? 'open' : 'closed',
      merged: false,
      title,
      base: { ref: base, repo: own },
      head: { ref: head, sha: commit, repo: isFork ? { full_name: 'somebody/shop' } : own },
      labels: labels.map((name) => ({ id: 1, name })),
      user: { id: author.id, login: author.name },
    };
  },
  'POST /repos/NAME/statuses/([0-9a-f]{40})': statusBy(githubStatus),
  'GET /repos/NAME/issues/(\\d+)/comments': (asked) =>
    commentsOf(asked, asked.parts[0]).map(([id, { text }]) => ({ id, body: text, user: { login: 'berth' } })),
  'POST /repos/NAME/issues/(\\d+)/comments': (asked) => ({
    [created]: true,
    ...noteOf(add(asked, asked.parts[0], asked.body['body']), asked.body['body']),
  }),
  'PATCH /repos/NAME/issues/comments/(\\d+)': (asked) =>
    noteOf(edit(asked, asked.parts[0], asked.body['body']), asked.body['body']),
};

const hosts: Record<string, Record<string, Answering>> = {
  '/api/v1': {
    ...likeGithub,
    'GET /user': () => ({ id: 4, login: 'berth' }),
    'GET /user/repos': (asked) => [repositoryOf(asked)],
  },
  '/api/v3': {
    ...likeGithub,
    'GET /installation/repositories': (asked) => ({ total_count: 1, repositories: [repositoryOf(asked)] }),
    'GET /repos/NAME/deployments': ({ host, query }) => listDeployments(host.deployments, query),
    'POST /repos/NAME/deployments': ({ host, body }) => madeOr404(addDeployment(host.deployments, body)),
    'POST /repos/NAME/deployments/(\\d+)/statuses': ({ host, parts: [id = ''], body }) =>
      madeOr404(addStatus(host.deployments, id, body)),
    'POST /app-manifests/made/conversions': ({ host }) => ({
      [created]: true,
      id: 4242,
      name: 'Berth of acme',
      pem: host.appPrivateKey,
      webhook_secret: 'hidden-secret',
      html_url: 'https://github.com/apps/berth-of-acme',
    }),
    'POST /app/installations/77/access_tokens': () => ({
      [created]: true,
      token: acceptedToken,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  },
  '/api/v4': {
    'GET /user': () => ({ id: 4, username: 'project_1_bot' }),
    'GET /projects': ({ host }) => [
      { id: 1, path_with_namespace: host.repository, default_branch: 'main', visibility: 'private' },
    ],
    'GET /projects/PATH/repository/branches': () => [{ name: 'main' }, { name: 'feature' }],
    'GET /projects/PATH/members/all/([^/]+)': ({ host, parts: [id = ''] }) =>
      host.writers.has(id) ? { id: Number(id), access_level: 30, state: 'active' } : undefined,
    'GET /projects/PATH/merge_requests/(\\d+)': (asked) => {
      const { title, base, head, commit, isFork, labels, author } = pullRequestOf(asked, asked.parts[0]);
      return {
        iid: Number(asked.parts[0]),
        state: open(asked, asked.parts[0]) ? 'opened' : 'merged',
        title,
        target_branch: base,
        source_branch: head,
        sha: commit,
        target_project_id: 1,
        source_project_id: isFork ? 2 : 1,
        labels,
        author: { id: author.id, username: author.name },
      };
    },
    'POST /projects/PATH/statuses/([0-9a-f]{40})': statusBy(gitlabStatus),
    'GET /projects/PATH/merge_requests/(\\d+)/notes': (asked) =>
      commentsOf(asked, asked.parts[0]).map(([id, { text }]) => ({ id, body: text, system: false })),
    'POST /projects/PATH/merge_requests/(\\d+)/notes': (asked) => ({
      [created]: true,
      ...noteOf(add(asked, asked.parts[0], asked.body['body']), asked.body['body']),
    }),
    'PUT /projects/PATH/merge_requests/\\d+/notes/(\\d+)': (asked) =>
      noteOf(edit(asked, asked.parts[0], asked.body['body']), asked.body['body']),
  },
  '/2.0': {
    'GET /repositories/acme': (asked) => ({
      pagelen: 100,
      values: [
        { full_name: asked.host.repository, mainbranch: { name: 'main', type: 'branch' }, is_private: true },
      ],
    }),
    'GET /repositories/NAME/refs/branches': () => ({ values: [{ name: 'main' }, { name: 'feature' }] }),
    'GET /workspaces/acme/permissions/repositories/shop': ({ host, query }) => {
      const uuid = /^user\.uuid="(.*)"$/.exec(query.get('q') ?? '')?.[1] ?? '';
      return {
        values: host.writers.has(uuid) ? [{ type: 'repository_permission', permission: 'write' }] : [],
      };
    },
    'GET /repositories/NAME/pullrequests/(\\d+)': (asked) => {
      const { title, base, head, commit, isFork, author } = pullRequestOf(asked, asked.parts[0]);
      const own = { full_name: asked.host.repository };
      return {
        id: Number(asked.parts[0]),
        state: open(asked, asked.parts[0]) ? 'OPEN' : 'DECLINED',
        title,
        source: {
          branch: { name: head },
          commit: { hash: commit.slice(0, 12) },
          repository: isFork ? { full_name: 'somebody/shop' } : own,
        },
        destination: { branch: { name: base }, repository: own },
        author: { uuid: `{${author.id}}`, display_name: author.name },
      };
    },
    'GET /repositories/NAME/commit/([0-9a-f]+)': ({ parts: [hash = ''] }) => ({
      type: 'commit',
      hash: hash.padEnd(40, '0'),
    }),
    'POST /repositories/NAME/commit/([0-9a-f]{40})/statuses/build': statusBy(bitbucketStatus),
    'GET /repositories/NAME/pullrequests/(\\d+)/comments': (asked) => ({
      values: commentsOf(asked, asked.parts[0]).map(([id, { text }]) => ({
        id,
        deleted: false,
        content: { raw: text },
      })),
    }),
    'POST /repositories/NAME/pullrequests/(\\d+)/comments': (asked) => ({
      [created]: true,
      id: add(asked, asked.parts[0], rawOf(asked.body)),
    }),
    'PUT /repositories/NAME/pullrequests/\\d+/comments/(\\d+)': (asked) =>
      noteOf(edit(asked, asked.parts[0], rawOf(asked.body)), ''),
  },
};

function rawOf({ content }: Record<string, unknown>): unknown {
  return typeof content === 'object' && content !== null ? Reflect.get(content, 'raw') : undefined;
}

async function answer(host: GitHost, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://host');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const send = (status: number, body: unknown): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  host.asked.push(`${request.method} ${url.pathname}`);
  host.credentials.add(request.headers.authorization ?? '');
  if (host.failing !== undefined) return send(host.failing, { message: 'not now' });
  if (!mayAsk(host, request, url.pathname)) return send(401, { message: 'Bad credentials' });
  const [prefix, paths] = Object.entries(hosts).find(([each]) => url.pathname.startsWith(`${each}/`)) ?? [];
  const path = `${request.method} ${url.pathname.slice(prefix?.length ?? 0)}`;
  for (const [pattern, answering] of Object.entries(paths ?? {})) {
    const found = new RegExp(
      `^${pattern.replace('NAME', host.repository).replace('PATH', encodeURIComponent(host.repository))}$`,
    ).exec(path);
    if (!found) continue;
    const body = answering({
      host,
      parts: found.slice(1).map(decodeURIComponent),
      query: url.searchParams,
      body: text === '' ? {} : JSON.parse(text),
    });
    if (body === undefined) return send(404, { message: 'Not Found' });
    return send(typeof body === 'object' && body !== null && created in body ? 201 : 200, body);
  }
  send(404, { message: 'Not Found' });
}

/** The one token; for a token of an App's installation, a statement that the App signed. */
function mayAsk({ appPublicKey }: GitHost, { headers }: IncomingMessage, path: string): boolean {
  const given = (headers.authorization ?? '').replace(/^Bearer /, '');
  // A code is all that is shown there.
  if (path.includes('/app-manifests/')) return given === '';
  if (!path.includes('/app/installations/')) return given === acceptedToken;
  const [head = '', claims = '', signature = ''] = given.split('.');
  const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}');
  const now = Date.now() / 1000;
  return (
    appPublicKey !== undefined &&
    iss === '4242' &&
    iat <= now &&
    exp > now &&
    exp - iat <= 600 &&
    createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(appPublicKey, signature, 'base64url')
  );
}
