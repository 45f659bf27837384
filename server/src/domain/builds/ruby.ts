/** Ruby: bundler; Rails, Sinatra and other Rack applications. */
import { aptLine, argLines, copyLine, runLine, userLine, workFolder } from './dockerfile.ts';
import { folderBuild, type FolderBuild } from './folder-build.ts';
import type { Language, Source } from './own-build.ts';
import type { Folder } from './source-files.ts';
import { execForm, portOf, procfileNotes } from './start-command.ts';
import { askedVersion, chosenVersion, numbersOf, usualOf, type Chosen } from './versions.ts';

const usualVersion = '3.4';

/** Debian packages that gems are compiled with, and that they run with. */
const systemPackages: readonly (readonly [gem: string, build: readonly string[], run: readonly string[]])[] =
  [
    ['pg', ['libpq-dev'], ['libpq5']],
    ['mysql2', ['default-libmysqlclient-dev'], ['libmariadb3']],
    ['sqlite3', ['libsqlite3-dev'], ['libsqlite3-0']],
    ['trilogy', [], []],
  ];

export const ruby: Language = {
  name: 'Ruby',
  shownBy: 'Gemfile',
  reads: /(?:^|\/)(?:Gemfile|Gemfile\.lock|\.ruby-version)$/,
  plan(source) {
    const { app, procfile } = source;
    if (!app.has('Gemfile')) return undefined;
    const gems = gemsOf(app);
    const isRails = gems.has('rails') || app.has('bin/rails');
    const framework = isRails ? 'Rails' : gems.has('sinatra') ? 'Sinatra' : undefined;
    const port = portOf(procfile.web ?? '') ?? 3000;
    const command = startOf(app, procfile.web, { isRails, gems, port });
    if (command === undefined) return { refusal: nothingToStart };
    const version = versionOf(app);
    const image = `ruby:${version.tag}-slim`;
    const system = systemPackages.filter(([gem]) => gems.has(gem));
    const compile = [
      'build-essential',
      'git',
      'libyaml-dev',
      'pkg-config',
      ...system.flatMap(([, build]) => build),
    ];
    const runtime = system.flatMap(([, , run]) => run);
    const isLocked = app.has('Gemfile.lock');
    const own = ['.ruby-version', '.tool-versions'].filter((file) => app.has(file));
    const env =
      `ENV ${isLocked ? 'BUNDLE_DEPLOYMENT=1 ' : ''}BUNDLE_PATH=/usr/local/bundle ` +
      `BUNDLE_WITHOUT=development:test ${isRails ? 'RAILS_ENV=production' : 'RACK_ENV=production'}`;
    const precompiles =
      isRails && (gems.has('sprockets-rails') || gems.has('propshaft') || gems.has('vite_rails'));
    return folderBuild(source, {
      language: 'Ruby',
      framework,
      platform: `Ruby ${version.tag}`,
      image,
      command,
      ignored: ['log/*', 'tmp/*', 'vendor/bundle', '**/node_modules'],
      port,
      why: [
        `Gemfile: ${framework ?? 'Ruby'}. Ruby ${version.tag}, ${version.why}.`,
        ...(precompiles ? ['Build: rails assets:precompile'] : []),
        `Start: ${command.join(' ')}`,
        ...(isRails ? [railsNote] : []),
        ...procfileNotes(procfile),
      ],
      stages: stagesOf(source, { image, compile, env, isLocked, own, precompiles, runtime, isRails }),
    });
  },
};

const nothingToStart =
  'Gemfile is there, and nothing says how the application starts: add config.ru, a Procfile with ' +
  '"web: …", or a Dockerfile.';

const railsNote =
  'Set SECRET_KEY_BASE or RAILS_MASTER_KEY among the variables, and preReleaseCommand ' +
  '["bundle", "exec", "rails", "db:migrate"] to migrate before each release.';

interface Facts {
  image: string;
  compile: readonly string[];
  env: string;
  isLocked: boolean;
  own: readonly string[];
  precompiles: boolean;
  runtime: readonly string[];
  isRails: boolean;
}

function stagesOf(
  { variables, secrets }: Source,
  { image, compile, env, isLocked, own, precompiles, runtime, isRails }: Facts,
): FolderBuild['stages'] {
  return [
    [
      `FROM ${image} AS build`,
      aptLine([...new Set(compile)]),
      'WORKDIR /app',
      env,
      copyLine(['Gemfile', ...(isLocked ? ['Gemfile.lock'] : []), ...own], './'),
      runLine('bundle install && rm -rf /usr/local/bundle/ruby/*/cache', { secrets }),
      'COPY . .',
      ...(precompiles
        ? [
            ...argLines(variables),
            runLine('SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile', { secrets }),
          ]
        : []),
    ],
    [
      `FROM ${image}`,
      runtime.length === 0 ? undefined : aptLine(runtime),
      userLine,
      env + (isRails ? ' RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1' : ''),
      workFolder('/app', 'app'),
      'COPY --from=build /usr/local/bundle /usr/local/bundle',
      'COPY --from=build --chown=app:app /app /app',
      'USER app',
    ],
  ];
}

/** Gems that the Gemfile names, and those of its lock. */
function gemsOf(app: Folder): ReadonlySet<string> {
  const named = [...(app.text('Gemfile') ?? '').matchAll(/^\s*gem\s+["']([\w-]+)["']/gm)];
  const locked = [...(app.text('Gemfile.lock') ?? '').matchAll(/^ {4}([\w-]+) \(/gm)];
  return new Set([...named, ...locked].map(([, name = '']) => name));
}

function startOf(
  app: Folder,
  web: string | undefined,
  { isRails, gems, port }: { isRails: boolean; gems: ReadonlySet<string>; port: number },
): string[] | undefined {
  if (web !== undefined) return execForm(web);
  if (isRails)
    return ['sh', '-c', `exec bundle exec rails server --binding=0.0.0.0 --port=\${PORT:-${port}}`];
  if (!app.has('config.ru')) {
    const file = app.first('app.rb', 'main.rb', 'server.rb');
    return file === undefined ? undefined : ['bundle', 'exec', 'ruby', file];
  }
  return gems.has('puma')
    ? ['sh', '-c', `exec bundle exec puma --bind=tcp://0.0.0.0:\${PORT:-${port}}`]
    : ['sh', '-c', `exec bundle exec rackup --host=0.0.0.0 --port=\${PORT:-${port}}`];
}

function versionOf(app: Folder): Chosen {
  const inGemfile = /^\s*ruby\s+["']~?>?=?\s*([\d.]+)/m.exec(app.text('Gemfile') ?? '')?.[1];
  const asked =
    askedVersion([app], ['.ruby-version'], ['ruby']) ??
    (inGemfile === undefined ? undefined : { version: inGemfile, file: 'Gemfile' });
  const tag = asked && numbersOf(asked.version);
  return chosenVersion(asked, tag, usualOf(usualVersion));
}
