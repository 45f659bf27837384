/** Go: a module, or files without one, with a main package at its root or below cmd/. */
import { aptLine, argLines, copyLine, quoted, runLine, userLine, workFolder } from './dockerfile.ts';
import { dockerignoreOf } from './ignore.ts';
import { folderBuild, runtimeFolders, type FolderBuild } from './folder-build.ts';
import type { Language, OwnBuild, Refusal, Source } from './own-build.ts';
import { folderOf, pathIn } from './source-files.ts';
import { execForm, portOf, procfileNotes } from './start-command.ts';

const usualVersion = '1.25';
const usualPort = 8080;

const frameworks = [
  ['github.com/gin-gonic/gin', 'Gin'],
  ['github.com/labstack/echo', 'Echo'],
  ['github.com/gofiber/fiber', 'Fiber'],
  ['github.com/go-chi/chi', 'chi'],
] as const;

export const go: Language = {
  name: 'Go',
  shownBy: 'go.mod, go.work or main.go',
  reads: /(?:^|\/)go\.(?:mod|work)$/,
  plan(source) {
    const { app, procfile } = source;
    if (!app.has('go.mod')) {
      const chosen = app.has('go.work') ? ofWorkspace(source) : undefined;
      if (chosen !== undefined) return chosen;
      if (!app.has('main.go')) return undefined;
    }
    const module = app.text('go.mod') ?? '';
    const main = mainPackage(app.files, module);
    if (main === undefined)
      return {
        refusal:
          'go.mod is there, and no main package was found: Berth looks for .go files at the root and for ' +
          'cmd/NAME/main.go, and takes the only one or the one that is called like the module. Set ' +
          'buildPath to the folder with go.mod, or add a Dockerfile.',
      };
    const [, least = ''] = /^go\s+(\d+\.\d+)/m.exec(module) ?? [];
    const [, toolchain] = /^toolchain\s+go(\d+\.\d+(?:\.\d+)?)/m.exec(module) ?? [];
    const isNewer = Number(least.split('.')[1]) > Number(usualVersion.split('.')[1]);
    const version = toolchain ?? (isNewer ? least : usualVersion);
    const framework = frameworks.find(([path]) => module.includes(path))?.[1];
    const port = portOf(procfile.web ?? '') ?? usualPort;
    const program = programName(main, module);
    const command = execForm(procfile.web ?? program);
    const caches = ['/go/pkg/mod', '/root/.cache/go-build'];
    const manifests = ['go.mod', 'go.sum'].filter((file) => app.has(file));
    const isVendored = app.files.some((path) => path === 'vendor/modules.txt');
    const neighbours = hasNeighbours(source, module);
    const withC = needsC.find((path) => module.includes(path));
    const build = folderBuild(source, {
      language: 'Go',
      framework,
      platform: `Go ${version}`,
      image: `golang:${version}-bookworm`,
      command,
      ignored: [],
      port,
      why: [
        `${manifests.length > 0 ? 'go.mod' : 'main.go'}: ${framework ?? 'Go'}. Go ${version}, ` +
          `${toolchain || isNewer ? 'as go.mod asks' : 'which builds what older versions do'}.`,
        `The main package is ${main}; the program listens where PORT says, ${port} if nobody sets it.`,
        ...(manifests.length > 0
          ? []
          : ['There is no go.mod: the newest versions of the packages are taken with each build.']),
        ...(withC === undefined ? [] : [`${withC} needs C: the program runs on Debian.`]),
        ...procfileNotes(procfile),
      ],
      stages: stagesOf(source, { version, isVendored, manifests, caches, program, main, withC, neighbours }),
    });
    return neighbours ? { ...build, context: '', dockerignore: dockerignoreOf(source.root, []) } : build;
  },
};

/** Packages that are made of C, which builds without it leave out or stop at. */
const needsC = [
  'github.com/mattn/go-sqlite3',
  'github.com/confluentinc/confluent-kafka-go',
  'github.com/chai2010/webp',
] as const;

/** Folders of a workspace's modules, from its root. */
const modulesOf = (workspace: string): string[] =>
  [...workspace.matchAll(/^\s*(?:use\s+)?"?\.\/([\w./-]+?)\/?"?\s*(?:\/\/.*)?$/gm)].map(
    ([, path = '']) => path,
  );

/** The only program of a workspace; with several a person chooses. */
function ofWorkspace(source: Source): OwnBuild | Refusal | undefined {
  const folders = modulesOf(source.app.text('go.work') ?? '').map((path) => pathIn(source.app, path));
  // A module without main.go is a library more often than not.
  const started = folders.filter((path) => {
    const { files, has } = folderOf(source.files, path);
    return (
      has('go.mod') && (has('main.go') || files.some((file) => /^cmd\/(?:[^/]+\/)?main\.go$/.test(file)))
    );
  });
  const [only] = started;
  if (only === undefined) return undefined;
  if (started.length === 1) return go.plan({ ...source, app: folderOf(source.files, only) });
  return {
    refusal:
      `go.work has ${started.length} modules with a program. Set buildPath to the folder of the one to ` +
      `deploy: ${started.join(', ')}.`,
  };
}

/** Whether the module takes others of the same source: by the workspace, or by `replace`. */
function hasNeighbours({ app, root }: Source, module: string): boolean {
  if (app.path === '') return false;
  return modulesOf(root.text('go.work') ?? '').includes(app.path) || /=>\s*\.\.\//.test(module);
}

interface Facts {
  version: string;
  isVendored: boolean;
  manifests: readonly string[];
  caches: readonly string[];
  program: string;
  main: string;
  /** The package that needs C. */
  withC: string | undefined;
  neighbours: boolean;
}

function stagesOf(source: Source, facts: Facts): FolderBuild['stages'] {
  const { version, manifests, caches, program, main, withC, neighbours } = facts;
  const { app, variables, secrets } = source;
  const folder = neighbours ? `/src/${app.path}` : '/src';
  return [
    [
      `FROM golang:${version}-bookworm AS build`,
      'WORKDIR /src',
      ...packagesOf(source, facts),
      'COPY . .',
      ...(neighbours ? [`WORKDIR ${folder}`] : []),
      ...(manifests.length === 0
        ? [runLine('go mod init app && go mod tidy', { caches: caches.slice(0, 1), secrets })]
        : []),
      ...(withC === undefined ? ['ENV CGO_ENABLED=0'] : []),
      ...argLines(variables),
      runLine(`go build -trimpath -ldflags="-s -w" -o /out/${program} ${quoted(main)}`, {
        caches,
        secrets,
      }),
    ],
    [
      ...(withC === undefined
        ? ['FROM alpine:3', 'RUN apk add --no-cache ca-certificates tzdata && adduser -D -u 10001 app']
        : ['FROM debian:bookworm-slim', aptLine(['ca-certificates', 'tzdata']), userLine]),
      // A Procfile names the program as `shop` or `bin/shop`.
      'ENV PATH=/app/bin:$PATH',
      workFolder('/app', 'app'),
      ...runtimeFolders(app).map((path) => copyLine([`${folder}/${path}`], `./${path}`, '--from=build')),
      'COPY --from=build /out ./bin',
      'USER app',
    ],
  ];
}

/** Packages before the source, so that its changes fetch none; modules beside it are a part of the source. */
function packagesOf({ secrets }: Source, { isVendored, manifests, caches, neighbours }: Facts): string[] {
  if (isVendored || neighbours || manifests.length === 0) return [];
  return [copyLine(manifests, './'), runLine('go mod download', { caches: caches.slice(0, 1), secrets })];
}

/** The program is called like the folder of its main package, or like the module. */
function programName(main: string, module: string): string {
  const path = /^module\s+(\S+)/m.exec(module)?.[1]?.replace(/\/v\d+$/, '') ?? '';
  const name = (main === '.' || main === './cmd' ? path : main).split('/').at(-1) ?? '';
  return /^[\w.-]+$/.test(name) ? name : 'server';
}

/** `.`, or the only folder of cmd/, or the one that is called like the module. */
function mainPackage(files: readonly string[], module: string): string | undefined {
  if (files.some((path) => /^[^/]+\.go$/.test(path) && !path.endsWith('_test.go'))) {
    // A root with files that are a library has its programs below cmd/.
    if (files.includes('main.go') || !files.some((path) => path.startsWith('cmd/'))) return '.';
  }
  const names = files.flatMap((path) => /^cmd\/([^/]+)\/main\.go$/.exec(path)?.slice(1) ?? []);
  const own = /^module\s+\S*?([^/\s]+)\s*$/m.exec(module)?.[1];
  const chosen = names.length === 1 ? names[0] : names.find((name) => name === own || name === 'server');
  if (chosen !== undefined) return `./cmd/${chosen}`;
  return files.includes('cmd/main.go') ? './cmd' : undefined;
}
