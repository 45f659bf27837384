/** Go: a module with a main package at its root or below cmd/. */
import { argLines, copyLine, quoted, runLine, workFolder } from './dockerfile.ts';
import { folderBuild, runtimeFolders, type FolderBuild } from './folder-build.ts';
import type { Language, Source } from './own-build.ts';
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
  shownBy: 'go.mod',
  reads: /(?:^|\/)go\.mod$/,
  plan(source) {
    const { app, procfile } = source;
    if (!app.has('go.mod')) return undefined;
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
    return folderBuild(source, {
      language: 'Go',
      framework,
      platform: `Go ${version}`,
      image: `golang:${version}-bookworm`,
      command,
      ignored: [],
      port,
      why: [
        `go.mod: ${framework ?? 'Go'}. Go ${version}, ` +
          `${toolchain || isNewer ? 'as go.mod asks' : 'which builds what older versions do'}.`,
        `The main package is ${main}; the program listens where PORT says, ${port} if nobody sets it.`,
        ...procfileNotes(procfile),
      ],
      stages: stagesOf(source, { version, isVendored, manifests, caches, program, main }),
    });
  },
};

interface Facts {
  version: string;
  isVendored: boolean;
  manifests: readonly string[];
  caches: readonly string[];
  program: string;
  main: string;
}

function stagesOf(
  { app, variables, secrets }: Source,
  { version, isVendored, manifests, caches, program, main }: Facts,
): FolderBuild['stages'] {
  return [
    [
      `FROM golang:${version}-bookworm AS build`,
      'WORKDIR /src',
      ...(isVendored
        ? []
        : [copyLine(manifests, './'), runLine('go mod download', { caches: caches.slice(0, 1), secrets })]),
      'COPY . .',
      'ENV CGO_ENABLED=0',
      ...argLines(variables),
      runLine(`go build -trimpath -ldflags="-s -w" -o /out/${program} ${quoted(main)}`, {
        caches,
        secrets,
      }),
    ],
    [
      'FROM alpine:3',
      'RUN apk add --no-cache ca-certificates tzdata && adduser -D -u 10001 app',
      // A Procfile names the program as `shop` or `bin/shop`.
      'ENV PATH=/app/bin:$PATH',
      workFolder('/app', 'app'),
      ...runtimeFolders(app).map((folder) => copyLine([`/src/${folder}`], `./${folder}`, '--from=build')),
      'COPY --from=build /out ./bin',
      'USER app',
    ],
  ];
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
