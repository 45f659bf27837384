/** Python: pip, poetry, uv or pipenv; Django, FastAPI, Flask and other WSGI and ASGI applications. */
import { aptLine, argLines, copyLine, runLine, userLine, workFolder } from '../dockerfile.ts';
import { folderBuild } from '../folder-build.ts';
import type { Language, OwnBuild, Refusal, Source } from '../own-build.ts';
import { fileNamed, type Folder } from '../source-files.ts';
import { servedOf, type Served } from './start.ts';
import { procfileNotes } from '../start-command.ts';
import { askedVersion, chosenVersion, numbersOf, usualOf, type Chosen } from '../versions.ts';

const usualVersion = '3.13';

export const python: Language = {
  name: 'Python',
  shownBy: 'requirements.txt, pyproject.toml, Pipfile or main.py',
  reads: fileNamed(
    'requirements\\.txt|pyproject\\.toml|Pipfile|\\.python-version|runtime\\.txt|manage\\.py',
    'setup\\.py|setup\\.cfg|\\.flaskenv',
    '(?:app|main|wsgi|asgi|server|application|settings)(?:/__init__)?\\.py',
    // Packages near the root: applications have hundreds of them below.
    '(?<=^(?:[^/]+/){1,2})__init__\\.py',
  ),
  plan(source) {
    const { app } = source;
    const manager = managers.find(({ isFor }) => isFor(app));
    const isPlain = app.first('manage.py', 'main.py', 'app.py') !== undefined;
    if (manager === undefined && !isPlain) return undefined;
    const served = servedOf(source, namedPackages(app));
    return served === undefined ? nothingToStart(app) : buildOf(source, manager, served);
  },
};

interface PythonManager {
  name: string;
  isFor(app: Folder): boolean;
  /** Files of which an installation depends. */
  reads: readonly string[];
  /** Installs the program itself into the build stage. */
  program?: string;
  /** Installs into the virtual environment /opt/venv, which is active. */
  install(app: Folder): string;
  /** Installs the source's own package; absent: `install` does. */
  own?: string;
  cache: string;
}

/** In the order in which they are asked: a lock file says more than a list. */
const managers: readonly PythonManager[] = [
  {
    name: 'uv',
    isFor: (app) => app.has('uv.lock'),
    reads: ['pyproject.toml', 'uv.lock'],
    program: 'pip install uv',
    install: () => 'uv sync --active --locked --no-dev --no-install-project',
    own: 'uv sync --active --locked --no-dev',
    cache: '/root/.cache/uv',
  },
  {
    name: 'Poetry',
    isFor: (app) => app.has('poetry.lock') || /^\[tool\.poetry\]/m.test(app.text('pyproject.toml') ?? ''),
    reads: ['pyproject.toml', 'poetry.lock'],
    program: 'python -m venv /opt/poetry && /opt/poetry/bin/pip install poetry',
    install: () => '/opt/poetry/bin/poetry install --only main --no-root --no-interaction',
    own: '/opt/poetry/bin/poetry install --only-root --no-interaction',
    cache: '/root/.cache/pypoetry',
  },
  {
    name: 'PDM',
    isFor: (app) => app.has('pdm.lock'),
    reads: ['pyproject.toml', 'pdm.lock'],
    program: 'python -m venv /opt/pdm && /opt/pdm/bin/pip install pdm',
    install: () => '/opt/pdm/bin/pdm sync --prod --no-self',
    own: '/opt/pdm/bin/pdm sync --prod --no-editable',
    cache: '/root/.cache/pdm',
  },
  {
    name: 'pipenv',
    isFor: (app) => app.has('Pipfile'),
    reads: ['Pipfile', 'Pipfile.lock'],
    program: 'pip install pipenv',
    install: (app) => (app.has('Pipfile.lock') ? 'pipenv sync' : 'pipenv install --skip-lock'),
    own: 'pip install --no-deps .',
    cache: '/root/.cache/pipenv',
  },
  {
    name: 'pip',
    isFor: (app) => app.has('requirements.txt'),
    reads: ['requirements.txt'],
    install: () => 'pip install -r requirements.txt',
    own: 'pip install --no-deps .',
    cache: '/root/.cache/pip',
  },
  {
    name: 'pip',
    isFor: (app) => app.first('pyproject.toml', 'setup.py', 'setup.cfg') !== undefined,
    // The project itself is what is installed.
    reads: [],
    install: () => 'pip install .',
    cache: '/root/.cache/pip',
  },
];

/** Names of packages that the source depends on, in lower case. */
function namedPackages(app: Folder): ReadonlySet<string> {
  const requirements = (app.text('requirements.txt') ?? '').split('\n');
  const quotedNames = [app.text('pyproject.toml'), app.text('Pipfile')].flatMap((text) => [
    ...(text ?? '').matchAll(/^\s*"?([A-Za-z][\w.-]*)"?\s*=|["']([A-Za-z][\w.-]*)[^"'\n]*["']/gm),
  ]);
  const names = [
    ...requirements.map((line) => /^\s*([A-Za-z][\w.-]*)/.exec(line)?.[1]),
    ...quotedNames.map(([, key, item]) => key ?? item),
  ];
  return new Set(
    names.flatMap((name) => (name === undefined ? [] : [name.toLowerCase().replaceAll('_', '-')])),
  );
}

/** Debian packages that sources of these packages are compiled with, and that they run with. */
const systemPackages: readonly (readonly [name: string, build: readonly string[], run: readonly string[]])[] =
  [
    ['psycopg2', ['gcc', 'libc6-dev', 'libpq-dev'], ['libpq5']],
    ['mysqlclient', ['gcc', 'libc6-dev', 'default-libmysqlclient-dev', 'pkg-config'], ['libmariadb3']],
    ['psycopg', [], ['libpq5']],
  ];

function buildOf(source: Source, manager: PythonManager | undefined, served: Served): OwnBuild {
  const { app } = source;
  const version = versionOf(app);
  const names = namedPackages(app);
  const system = systemPackages.filter(([name]) => names.has(name));
  const [compile, runtime] = [system.flatMap(([, build]) => build), system.flatMap(([, , run]) => run)];
  const image = `python:${version.tag}-slim`;
  const how = manager === undefined ? '' : ` with ${manager.name}`;
  const files = manager?.reads.filter((file) => app.has(file)) ?? [];
  const options = { caches: manager && [manager.cache], secrets: source.secrets };
  const install = manager && runLine(manager.install(app), options);
  const server = served.server && runLine(`pip install ${served.server}`, { caches: ['/root/.cache/pip'] });
  const build = [
    `FROM ${image} AS build`,
    compile.length === 0 ? undefined : aptLine(compile),
    'WORKDIR /app',
    'ENV VIRTUAL_ENV=/opt/venv PATH=/opt/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1',
    'RUN python -m venv /opt/venv',
    manager?.program && runLine(manager.program, { caches: ['/root/.cache/pip'] }),
    ...(files.length > 0
      ? [copyLine(files, './'), install, server, 'COPY . .']
      : ['COPY . .', install, server]),
    served.isInstalled && manager?.own ? runLine(manager.own, options) : undefined,
    ...(served.build === undefined
      ? []
      : [...argLines(source.variables), runLine(served.build, { secrets: source.secrets })]),
  ];
  const final = [
    `FROM ${image}`,
    runtime.length === 0 ? undefined : aptLine(runtime),
    userLine,
    'ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1',
    workFolder('/app', 'app'),
    'COPY --from=build /opt/venv /opt/venv',
    'COPY --from=build --chown=app:app /app /app',
    'USER app',
  ];
  return folderBuild(source, {
    language: 'Python',
    framework: served.framework,
    platform: `Python ${version.tag}${how}`,
    image,
    command: served.command,
    ignored: ['**/__pycache__', '**/.venv', '**/venv', '**/*.pyc'],
    port: served.port,
    why: whyOf(source, {
      manager,
      served,
      version,
      file: files[0] ?? app.first('pyproject.toml', 'setup.py') ?? 'setup.cfg',
    }),
    stages: [build, final],
  });
}

interface Reasons {
  manager: PythonManager | undefined;
  served: Served;
  version: Chosen;
  /** The file that lists the packages. */
  file: string;
}

function whyOf({ procfile }: Source, { manager, served, version, file }: Reasons): string[] {
  return [
    `${served.framework ?? 'Python'}, Python ${version.tag}, ${version.why}.`,
    ...(manager === undefined ? [] : [`${manager.name} installs what ${file} says.`]),
    ...(served.server ? [`${served.server} is installed too, since the source names no server.`] : []),
    ...(served.build ? [`Build: ${served.build}`] : []),
    `Start: ${served.command.join(' ')}`,
    ...procfileNotes(procfile),
  ];
}

function versionOf(app: Folder): Chosen {
  const asked = askedVersion([app], ['.python-version', 'runtime.txt'], ['python']) ?? inProject(app);
  const tag = asked && numbersOf(asked.version.replace(/^\D*(?=\d)/, ''));
  return chosenVersion(asked, tag?.startsWith('3.') ? tag : undefined, usualOf(usualVersion));
}

/** `requires-python` and Poetry's `python`, where the usual version is not what they allow. */
function inProject(app: Folder): { version: string; file: string } | undefined {
  const text = app.text('pyproject.toml') ?? app.text('Pipfile') ?? '';
  const range = /^\s*(?:requires-python|python|python_version)\s*=\s*"([^"]+)"/m.exec(text)?.[1];
  const file = app.has('pyproject.toml') ? 'pyproject.toml' : 'Pipfile';
  const below = /<\s*=?\s*3\.(\d+)/.exec(range ?? '')?.[1];
  const least = /(?:>=?|\^|~=?|==)?\s*3\.(\d+)/.exec(range ?? '');
  if (range === undefined || least === null) return undefined;
  const isExact = !/[><^~]/.test(range) || /^\s*(?:==|~)/.test(range);
  const tooNew = below !== undefined && Number(below) <= Number(usualVersion.split('.')[1]);
  const isNewer = Number(least[1]) > Number(usualVersion.split('.')[1]);
  if (!isExact && !tooNew && !isNewer) return undefined;
  return { version: tooNew && !isExact ? `3.${Number(below) - 1}` : `3.${least[1]}`, file };
}

function nothingToStart(app: Folder): Refusal {
  return {
    refusal:
      `The source${app.path === '' ? '' : ` in ${app.path}`} is Python, and nothing says how it starts: ` +
      'there is no Procfile with "web: …", no manage.py, no main.py or app.py, no package that makes an ' +
      'application, and no script of the project. Add one of them, or a Dockerfile.',
  };
}
