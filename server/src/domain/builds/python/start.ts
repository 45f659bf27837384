/** How a Python application starts: its Procfile, the module that makes it, or a script that it names. */
import type { Source } from '../own-build.ts';
import type { Folder } from '../source-files.ts';
import { execForm, portOf } from '../start-command.ts';

const usualPort = 8000;

export interface Served {
  framework: string | undefined;
  command: readonly string[];
  port: number;
  /** A server that is installed besides what the source names. */
  server?: string;
  /** Runs after the source is there. */
  build?: string;
  /** The command is one that the source's own package brings. */
  isInstalled?: true;
}

export function servedOf({ app, procfile }: Source, packages: ReadonlySet<string>): Served | undefined {
  const framework = [
    ['django', 'Django'],
    ['fastapi', 'FastAPI'],
    ['flask', 'Flask'],
    ['starlette', 'Starlette'],
    ['streamlit', 'Streamlit'],
  ].find(([name = '']) => packages.has(name))?.[1];
  const isDjango = framework === 'Django' || app.has('manage.py');
  const build =
    isDjango && app.has('manage.py') && /^STATIC_ROOT\b/m.test(settingsOf(app))
      ? 'python manage.py collectstatic --noinput'
      : undefined;
  const made = { framework: isDjango ? 'Django' : framework, ...(build === undefined ? {} : { build }) };
  if (procfile.web !== undefined) {
    const command = execForm(procfile.web);
    return { ...made, command, port: portOf(procfile.web) ?? usualPort };
  }
  if (framework === 'Streamlit') return streamlitOf(app);
  const target = isDjango ? djangoTarget(app) : targetOf(app, framework);
  if (target !== undefined) {
    const isAsync = ['FastAPI', 'Starlette'].includes(framework ?? '') || target.isAsync;
    const server = isAsync ? 'uvicorn' : 'gunicorn';
    return {
      ...made,
      command: shell(isAsync ? uvicornOf(target) : gunicornOf(target)),
      port: usualPort,
      ...(packages.has(server) || (isAsync && packages.has('fastapi[standard]')) ? {} : { server }),
    };
  }
  const file = app.first('main.py', 'app.py', 'server.py', 'run.py', 'bot.py');
  if (file !== undefined) return { ...made, command: ['python', file], port: usualPort };
  const script = scriptOf(app);
  return script && { ...made, command: script, port: usualPort, isInstalled: true };
}

const gunicornOf = ({ name, isFactory, folder }: Target): string =>
  `gunicorn ${folder === undefined ? '' : `--pythonpath ${folder} `}` +
  `${isFactory ? `'${name}()'` : name} --bind 0.0.0.0:\${PORT:-${usualPort}}`;

const uvicornOf = ({ name, isFactory, folder }: Target): string =>
  `uvicorn ${folder === undefined ? '' : `--app-dir ${folder} `}${isFactory ? '--factory ' : ''}${name} ` +
  `--host 0.0.0.0 --port \${PORT:-${usualPort}}`;

const shell = (command: string): string[] => ['sh', '-c', `exec ${command}`];

function streamlitOf(app: Folder): Served | undefined {
  const file = app.first('streamlit_app.py', 'app.py', 'main.py');
  const port = 8501;
  const options = `--server.address=0.0.0.0 --server.port=\${PORT:-${port}} --server.headless=true`;
  return file === undefined
    ? undefined
    : { framework: 'Streamlit', command: shell(`streamlit run ${file} ${options}`), port };
}

interface Target {
  /** As servers take it: module:attribute. */
  name: string;
  isAsync: boolean;
  /** The attribute is a function that makes the application. */
  isFactory?: boolean;
  /** Where its package lies, unless in the folder of the application. */
  folder?: string | undefined;
}

/** The module of WSGI beside the settings that manage.py names. */
function djangoTarget(app: Folder): Target | undefined {
  const settings = /DJANGO_SETTINGS_MODULE['"]\s*,\s*['"]([\w.]+)['"]/.exec(app.text('manage.py') ?? '')?.[1];
  const project = settings?.split('.')[0];
  const found = project === undefined ? [] : [`${project}/wsgi.py`].filter((path) => app.has(path));
  const path = found[0] ?? app.files.find((file) => /^[^/]+\/wsgi\.py$/.test(file));
  return path === undefined
    ? undefined
    : { name: `${path.replace(/\.py$/, '').replaceAll('/', '.')}:application`, isAsync: false };
}

function settingsOf(app: Folder): string {
  const path = app.files.find((file) => /^[^/]+\/settings\.py$/.test(file));
  return (path === undefined ? undefined : app.text(path)) ?? '';
}

const modules = [
  'main',
  'app',
  'wsgi',
  'asgi',
  'server',
  'application',
  'app/main',
  'src/main',
  'src/app',
  'app/__init__',
];
const constructed =
  /^(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(FastAPI|Starlette|Flask|Quart|Litestar|Sanic|create_app)\s*\(/m;

/** Made by a function of the source's own. */
const made = /^(app|application|api)\s*(?::[^=\n]+)?=\s*[\w.]+\s*\(/m;

/** A function that makes the application, as Flask's and FastAPI's guides for larger ones have it. */
const factory = /^def (create_app|make_app|create_application)\(([^)]*)\)?/m;

/** Folders of packages that serve tests and authors, or are part of another. */
const aside = /^(?:tests?|docs?|examples?|scripts|migrations|alembic|venv|env|node_modules|build|dist)$/;

/** The first module that makes an application, by the name that it has there. */
function targetOf(app: Folder, framework: string | undefined): Target | undefined {
  const named = /^\s*(?:export\s+)?FLASK_APP\s*=\s*["']?([\w.]+?)(?:\.py)?(?::(\w+))?["']?\s*$/m.exec(
    app.text('.flaskenv') ?? '',
  );
  if (named?.[1] !== undefined && (named[2] !== undefined || app.has(`${named[1]}.py`)))
    return { name: `${named[1]}:${named[2] ?? 'app'}`, isAsync: false };
  const targets = [...modules, ...packageModules(app)].flatMap((module) => {
    const text = app.text(`${module}.py`);
    return text === undefined ? [] : (targetIn(module, text, framework) ?? []);
  });
  // What is made when the module is read needs nothing; a function may want to be told something.
  return targets.find(({ isFactory }) => !isFactory) ?? targets[0];
}

function targetIn(module: string, text: string, framework: string | undefined): Target | undefined {
  const path = module.replace('/__init__', '').replaceAll('/', '.');
  const isInSource = path.startsWith('src.') && path.split('.').length > 2;
  const place = isInSource ? { folder: 'src' } : {};
  const start = isInSource ? path.slice('src.'.length) : path;
  const [, name, maker] =
    constructed.exec(text) ?? (framework === undefined ? undefined : made.exec(text)) ?? [];
  if (name !== undefined) {
    const isAsync = maker !== undefined && !['Flask', 'create_app'].includes(maker);
    return { name: `${start}:${name}`, isAsync, ...place };
  }
  const [, makes, wanted = ''] = framework === undefined ? [] : (factory.exec(text) ?? []);
  const asks = wanted.split(',').some((one) => one.trim() !== '' && !/[=*]/.test(one));
  if (makes === undefined || asks) return undefined;
  return { name: `${start}:${makes}`, isAsync: false, isFactory: true, ...place };
}

/** Modules of packages in the folder, or in its src, that applications are made in. */
function packageModules(app: Folder): string[] {
  const found = app.files.flatMap(
    (path) => /^((?:src\/)?([A-Za-z_]\w*)\/(?:__init__|main|app|wsgi|asgi|server))\.py$/.exec(path) ?? [],
  );
  return [...new Set(found)].filter(
    (module) =>
      module.includes('/') && !module.endsWith('.py') && !aside.test(module.split('/').at(-2) ?? ''),
  );
}

/** The command that the package of the source brings, or the package itself where it can be started. */
function scriptOf(app: Folder): string[] | undefined {
  const project = app.text('pyproject.toml') ?? '';
  const [, listed = ''] = project.split(/^\[(?:project|tool\.poetry)\.scripts\]/m);
  const [section = ''] = listed.split(/^\[/m);
  const old = /["']?console_scripts["']?\s*[=:]\s*\[?([^\]]*)/.exec(
    `${app.text('setup.py') ?? ''}\n${app.text('setup.cfg') ?? ''}`,
  )?.[1];
  const names = [
    ...[...section.matchAll(/^\s*"?([\w.-]+)"?\s*=/gm)].map(([, name = '']) => name),
    ...[...(old ?? '').matchAll(/(?:^|["'\n])\s*([\w.-]+)\s*=\s*[\w.]+:/g)].map(([, name = '']) => name),
  ];
  const own = /^name\s*=\s*"([\w.-]+)"/m.exec(project)?.[1];
  const usual = ['web', 'serve', 'server', 'start', 'run', 'app', own];
  const chosen = names.length === 1 ? names[0] : names.find((name) => usual.includes(name));
  if (chosen !== undefined) return [chosen];
  const packages = app.files.flatMap(
    (path) => /^(?:src\/)?([A-Za-z_]\w*)\/__main__\.py$/.exec(path)?.[1] ?? [],
  );
  const started = packages.filter((name) => !aside.test(name));
  return started.length === 1 && started[0] !== undefined ? ['python', '-m', started[0]] : undefined;
}
