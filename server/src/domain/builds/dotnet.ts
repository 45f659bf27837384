/** .NET: a project file of C# or F#, at the root or in a folder. */
import { posix } from 'node:path';
import { argLines, copyLine, quoted, runLine, workFolder } from './dockerfile.ts';
import { folderBuild, type FolderBuild } from './folder-build.ts';
import type { Language, Source } from './own-build.ts';
import { jsonOf, objectOf, pathIn, textOf, type Folder } from './source-files.ts';
import { execForm, portOf, procfileNotes } from './start-command.ts';
import { usualOf, type Chosen } from './versions.ts';

const usualVersion = '9.0';
/** As the images of .NET have it since version 8. */
const usualPort = 8080;

const projectFile = /\.(?:csproj|fsproj)$/;
/** What all projects below it are built with. */
const sharedFile = /^(?:Directory\.(?:Build|Packages)\.props|NuGet\.Config|global\.json)$/i;

export const dotnet: Language = {
  name: '.NET',
  shownBy: 'a .csproj or .fsproj file',
  reads: /(?:^|\/)(?:[^/]+\.(?:csproj|fsproj)|global\.json)$/,
  plan(source) {
    const { app, procfile } = source;
    const projects = app.files.filter((path) => projectFile.test(path));
    if (projects.length === 0) return undefined;
    const project = programOf(app, projects);
    if (project === undefined)
      return {
        refusal:
          `The source has ${projects.length} .NET projects, and not exactly one is a web application ` +
          `(Microsoft.NET.Sdk.Web): ${projects.slice(0, 10).join(', ')}. Set buildPath to the folder of ` +
          'the one to deploy, or add a Dockerfile.',
      };
    const text = app.text(project) ?? '';
    if (isLibrary(text))
      return {
        refusal:
          `${pathIn(app, project)} makes a library and no program: it has neither the SDK ` +
          'Microsoft.NET.Sdk.Web nor the OutputType Exe. Set buildPath to the folder of the program to ' +
          'deploy.',
      };
    const isWeb = text.includes('Microsoft.NET.Sdk.Web');
    const home = needsRoot(source, project) ? source.root : app;
    const version = versionOf(home, text);
    const name =
      /<AssemblyName>\s*([\w.-]+)\s*</.exec(text)?.[1] ??
      (project.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
    const port = portOf(procfile.web ?? '') ?? usualPort;
    const command = procfile.web === undefined ? ['dotnet', `${name}.dll`] : execForm(procfile.web);
    const image = `mcr.microsoft.com/dotnet/sdk:${pinnedSdk(home) ?? version.tag}`;
    const runtime = `mcr.microsoft.com/dotnet/${isWeb ? 'aspnet' : 'runtime'}:${version.tag}`;
    const whole = home === app ? project : pathIn(app, project);
    const restored = [...home.files.filter((path) => projectFile.test(path)), ...home.named(sharedFile)];
    const framework = isWeb ? 'ASP.NET Core' : undefined;
    const built = folderBuild(
      { ...source, app: home },
      {
        language: '.NET',
        framework,
        platform: `.NET ${version.tag}`,
        image,
        command,
        ignored: ['**/bin', '**/obj'],
        port,
        why: [
          `${project}: ${framework ?? '.NET'}. .NET ${version.tag}, ${version.why}.`,
          `Start: ${command.join(' ')}. It listens on ${port} unless ASPNETCORE_HTTP_PORTS says another ` +
            'port.',
          ...procfileNotes(procfile),
        ],
        stages: stagesOf(source, { version, image, runtime, restored, project: whole, port }),
      },
    );
    // The projects that it refers to may lie anywhere.
    return home === app ? built : { ...built, watchPaths: ['**'] };
  },
};

interface Facts {
  version: Chosen;
  image: string;
  runtime: string;
  restored: readonly string[];
  project: string;
  port: number;
}

function stagesOf(
  { variables, secrets }: Source,
  { version, image, runtime, restored, project, port }: Facts,
): FolderBuild['stages'] {
  const hasUser = Number(version.tag.split('.')[0]) >= 8;
  return [
    [
      `FROM ${image} AS build`,
      'WORKDIR /src',
      ...restored.map((path) => copyLine([path], `./${path}`)),
      runLine(`dotnet restore ${quoted(project)}`, { caches: ['/root/.nuget/packages'], secrets }),
      'COPY . .',
      ...argLines(variables),
      runLine(
        `dotnet publish ${quoted(project)} --configuration Release --no-restore --output /out ` +
          '-p:UseAppHost=false',
        { caches: ['/root/.nuget/packages'], secrets },
      ),
    ],
    [
      `FROM ${runtime}`,
      hasUser ? workFolder('/app', 'app') : 'WORKDIR /app',
      'COPY --from=build /out ./',
      hasUser ? 'USER app' : `ENV ASPNETCORE_URLS=http://+:${port}`,
    ],
  ];
}

/** One that says so: other SDKs make programs by themselves. */
const isLibrary = (text: string): boolean =>
  /Sdk="Microsoft\.NET\.Sdk(?:\.Razor)?"/.test(text) && !/<OutputType>\s*(?:Win)?Exe/i.test(text);

/** Whether a project of a folder is built with what lies outside of it. */
function needsRoot({ app, root }: Source, project: string): boolean {
  if (app.path === '') return false;
  const references = [...(app.text(project) ?? '').matchAll(/<ProjectReference\s+Include="([^"]+)"/g)];
  const leads = references.some(([, path = '']) =>
    posix.join(posix.dirname(project), path.replaceAll('\\', '/')).startsWith('..'),
  );
  return leads || root.named(sharedFile).length > 0;
}

/** The only web application, else the only program, else the only project. */
function programOf(app: Folder, projects: readonly string[]): string | undefined {
  const holding = (word: RegExp): string[] => projects.filter((path) => word.test(app.text(path) ?? ''));
  const web = holding(/Microsoft\.NET\.Sdk\.Web"/);
  const programs = holding(/<OutputType>\s*Exe/i);
  return [web, programs, projects].find((found) => found.length === 1)?.[0];
}

/** An SDK that global.json names without saying that a newer one will do. */
function pinnedSdk(app: Folder): string | undefined {
  const sdk = objectOf(jsonOf(app.text('global.json'))?.['sdk']);
  return sdk?.['rollForward'] === undefined ? textOf(sdk?.['version']) : undefined;
}

function versionOf(app: Folder, project: string): Chosen {
  const sdk = textOf(objectOf(jsonOf(app.text('global.json'))?.['sdk'])?.['version']);
  const ofSdk = /^(\d+\.\d+)/.exec(sdk ?? '')?.[1];
  const target = /<TargetFrameworks?>\s*net(\d+\.\d+)/.exec(project)?.[1];
  if (target !== undefined) return { tag: target, why: 'as the project file asks' };
  if (ofSdk !== undefined) return { tag: ofSdk, why: 'as global.json asks' };
  return usualOf(usualVersion);
}
