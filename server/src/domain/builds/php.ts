/** PHP: plain or with composer; Laravel and Symfony; served by Apache with PHP. */
import { aptLine, argLines, copyLine, runLine } from './dockerfile.ts';
import { folderBuild, type FolderBuild } from './folder-build.ts';
import type { Language, Source } from './own-build.ts';
import { managerOf } from './node/package-programs.ts';
import { jsonOf, textOf, textsOf, type Folder } from './source-files.ts';
import { procfileNotes } from './start-command.ts';
import { usualOf, type Chosen } from './versions.ts';

const usualVersion = '8.4';
/** Above those that only root may open. */
const port = 8080;
const command = ['apache2-foreground'];

/** Debian packages of extensions that the images of PHP compile. */
const extensions: Readonly<Record<string, readonly string[]>> = {
  pdo_mysql: [],
  mysqli: [],
  pdo_pgsql: ['libpq-dev'],
  pgsql: ['libpq-dev'],
  gd: ['libpng-dev', 'libjpeg-dev', 'libfreetype-dev'],
  intl: ['libicu-dev'],
  zip: ['libzip-dev'],
  bcmath: [],
  bz2: ['libbz2-dev'],
  calendar: [],
  exif: [],
  gettext: [],
  gmp: ['libgmp-dev'],
  ldap: ['libldap-dev'],
  pcntl: [],
  shmop: [],
  soap: ['libxml2-dev'],
  sockets: [],
  sysvmsg: [],
  sysvsem: [],
  sysvshm: [],
  tidy: ['libtidy-dev'],
  xsl: ['libxslt1-dev'],
};

/** Debian packages of extensions that PECL has. */
const fromPecl: Readonly<Record<string, readonly string[]>> = {
  amqp: ['librabbitmq-dev'],
  apcu: [],
  igbinary: [],
  imagick: ['libmagickwand-dev'],
  memcached: ['libmemcached-dev', 'zlib1g-dev', 'libssl-dev'],
  mongodb: ['libssl-dev'],
  msgpack: [],
  redis: [],
  yaml: ['libyaml-dev'],
};

/** What the images of PHP have by themselves. */
const builtIn = new Set(
  (
    'zend-opcache core ctype curl date dom fileinfo filter ftp hash iconv json libxml mbstring mysqlnd ' +
    'opcache openssl pcre ' +
    'pdo pdo_sqlite phar posix random readline reflection session simplexml sodium spl sqlite3 standard ' +
    'tokenizer xml xmlreader xmlwriter zlib'
  ).split(' '),
);

export const php: Language = {
  name: 'PHP',
  shownBy: 'composer.json or index.php',
  reads: /(?:^|\/)(?:composer\.json|\.php-version|package\.json|pnpm-lock\.yaml|yarn\.lock)$/,
  plan(source) {
    const { app, procfile } = source;
    const manifest = jsonOf(app.text('composer.json'));
    if (app.has('composer.json') && manifest === undefined)
      return { refusal: 'composer.json is not valid JSON; correct it, and deploy again.' };
    if (manifest === undefined && app.first('index.php', 'public/index.php') === undefined) return undefined;
    const required = textsOf(manifest?.['require']);
    const framework =
      'laravel/framework' in required
        ? 'Laravel'
        : 'symfony/framework-bundle' in required
          ? 'Symfony'
          : undefined;
    const version = versionOf(app, required['php']);
    const { compiled: wanted, pecl, unknown } = extensionsOf(required, framework);
    const packages = [
      ...new Set([...wanted, ...pecl].flatMap((name) => extensions[name] ?? fromPecl[name] ?? [])),
    ];
    const root = app.has('public/index.php') ? '/var/www/html/public' : '/var/www/html';
    const image = `php:${version.tag}-apache`;
    const assets = hasAssets(app);
    const locks = ['composer.json', 'composer.lock', 'symfony.lock'].filter((file) => app.has(file));
    return folderBuild(source, {
      language: 'PHP',
      framework,
      platform: `PHP ${version.tag} with Apache`,
      image,
      command,
      ignored: ['vendor', '**/node_modules'],
      port,
      why: [
        `${framework ?? 'PHP'}, PHP ${version.tag}, ${version.why}. Apache serves ${root} on port ${port}.`,
        ...(wanted.length + pecl.length === 0 ? [] : [`Extensions: ${[...wanted, ...pecl].join(', ')}.`]),
        ...unknownNotes(unknown),
        ...(framework === 'Laravel'
          ? [
              'Set APP_KEY among the variables, and preReleaseCommand ["php", "artisan", "migrate", ' +
                '"--force"] to migrate before each release.',
            ]
          : []),
        ...procfileNotes({ ...procfile, web: undefined }),
      ],
      stages: stagesOf(source, {
        assets,
        manifest,
        locks,
        image,
        packages,
        wanted,
        pecl,
        root,
        isSymfony: framework === 'Symfony',
        assetMap: assetMapOf(required),
      }),
    });
  },
};

const unknownNotes = (extensionNames: readonly string[]): string[] =>
  extensionNames.length === 0
    ? []
    : [
        'composer.json requires extensions that Berth does not know and leaves out: ' +
          `${extensionNames.join(', ')}. Add a Dockerfile that installs them.`,
      ];

interface Facts {
  assets: boolean;
  manifest: unknown;
  locks: readonly string[];
  image: string;
  packages: readonly string[];
  wanted: readonly string[];
  pecl: readonly string[];
  root: string;
  isSymfony: boolean;
  /** Commands that make the scripts and styles of pages from PHP; none without Symfony's AssetMapper. */
  assetMap: readonly string[];
}

function stagesOf(
  { app, variables, secrets }: Source,
  { assets, manifest, locks, image, packages, wanted, pecl, root, isSymfony, assetMap }: Facts,
): FolderBuild['stages'] {
  return [
    ...(manifest === undefined
      ? []
      : [
          [
            'FROM composer:2 AS packages',
            'WORKDIR /app',
            copyLine(locks, './'),
            runLine(
              'composer install --no-dev --no-scripts --no-autoloader --no-interaction ' +
                '--prefer-dist --ignore-platform-reqs',
              { caches: ['/tmp/cache'], secrets },
            ),
            'COPY . .',
            'RUN composer dump-autoload --no-dev --optimize --no-scripts',
          ],
        ]),
    ...(assets ? assetStages(app, image, variables, secrets) : []),
    [
      `FROM ${image}`,
      packages.length === 0 ? undefined : aptLine(packages),
      wanted.length === 0 ? undefined : `RUN docker-php-ext-install -j"$(nproc)" ${wanted.join(' ')}`,
      pecl.length === 0
        ? undefined
        : `RUN pecl install ${pecl.join(' ')} && docker-php-ext-enable ${pecl.join(' ')}`,
      'RUN a2enmod rewrite \\\n' +
        ` && sed -i 's/Listen 80/Listen ${port}/' /etc/apache2/ports.conf \\\n` +
        ` && sed -i 's#:80>#:${port}>#; s#/var/www/html#${root}#' ` +
        '/etc/apache2/sites-available/000-default.conf \\\n' +
        ' && printf "<Directory /var/www/>\\nAllowOverride All\\n' +
        // Symfony brings no .htaccess of its own.
        `${isSymfony ? 'FallbackResource /index.php\\n' : ''}</Directory>\\n" ` +
        '> /etc/apache2/conf-enabled/berth.conf \\\n' +
        ' && mv "$PHP_INI_DIR/php.ini-production" "$PHP_INI_DIR/php.ini"',
      // Its own .env says dev, whose bundles are not installed.
      isSymfony ? 'ENV APP_ENV=prod' : undefined,
      'WORKDIR /var/www/html',
      manifest === undefined
        ? 'COPY --chown=www-data:www-data . .'
        : 'COPY --from=packages --chown=www-data:www-data /app ./',
      assets ? 'COPY --from=assets --chown=www-data:www-data /app/public/build ./public/build' : undefined,
      'USER www-data',
      assetMap.length === 0 ? undefined : runLine(assetMap.join(' && '), { secrets }),
    ],
  ];
}

const assetMapOf = (required: Readonly<Record<string, string>>): string[] =>
  'symfony/asset-mapper' in required
    ? [
        'importmap:install',
        ...('symfonycasts/sass-bundle' in required ? ['sass:build'] : []),
        ...('symfonycasts/tailwind-bundle' in required ? ['tailwind:build'] : []),
        'asset-map:compile',
      ].map((name) => `php bin/console ${name}`)
    : [];

function versionOf(app: Folder, range: string | undefined): Chosen {
  const own = /^\s*(\d\.\d+)/.exec(app.text('.php-version') ?? '')?.[1];
  if (own !== undefined) return { tag: own, why: 'as .php-version asks' };
  const exact = /^\s*(?:~\s*)?(8\.\d)(?:\.[\d*x]+)?\s*$/.exec(range ?? '')?.[1];
  const below = /<\s*8\.(\d)/.exec(range ?? '')?.[1];
  if (exact !== undefined) return { tag: exact, why: 'as composer.json asks' };
  if (below !== undefined && Number(below) <= 4)
    return { tag: `8.${Number(below) - 1}`, why: 'as composer.json asks' };
  return usualOf(usualVersion);
}

interface Extensions {
  compiled: string[];
  pecl: string[];
  unknown: string[];
}

function extensionsOf(required: Readonly<Record<string, string>>, framework: string | undefined): Extensions {
  const asked = Object.keys(required).flatMap(
    (name) => /^ext-([\w-]+)$/.exec(name)?.[1]?.toLowerCase() ?? [],
  );
  const usual = framework === undefined ? [] : ['pdo_mysql', 'pdo_pgsql', 'intl', 'zip'];
  const usualOfLaravel = framework === 'Laravel' ? ['bcmath', 'pcntl'] : [];
  const all = [...new Set([...usual, ...usualOfLaravel, ...asked])].filter((name) => !builtIn.has(name));
  return {
    compiled: all.filter((name) => Object.hasOwn(extensions, name)),
    pecl: all.filter((name) => Object.hasOwn(fromPecl, name)),
    unknown: all.filter((name) => !Object.hasOwn(extensions, name) && !Object.hasOwn(fromPecl, name)),
  };
}

/** Pages' scripts and styles that Vite builds beside Laravel. */
function hasAssets(app: Folder): boolean {
  const manifest = jsonOf(app.text('package.json'));
  return (
    app.has('composer.json') && /\bvite build\b/.test(textOf(textsOf(manifest?.['scripts'])['build']) ?? '')
  );
}

/** Types of routes that Vite has the program itself write, by `php artisan wayfinder:generate`. */
const asksPhp = (manifest: Readonly<Record<string, unknown>>): boolean =>
  ['dependencies', 'devDependencies'].some(
    (kind) => '@laravel/vite-plugin-wayfinder' in textsOf(manifest[kind]),
  );

function assetStages(
  app: Folder,
  image: string,
  variables: readonly string[],
  secrets: readonly string[],
): FolderBuild['stages'] {
  const manifest = jsonOf(app.text('package.json')) ?? {};
  const { row, lock, version } = managerOf(app, manifest);
  const files = ['package.json', lock, ...row.reads].filter(
    (file): file is string => file !== undefined && app.has(file),
  );
  const withPhp = asksPhp(manifest);
  return [
    ...(withPhp ? [['FROM node:24-slim AS node']] : []),
    [
      ...(withPhp
        ? [`FROM ${image.replace(/-apache$/, '-cli')} AS assets`, ...nodeLines]
        : ['FROM node:24-slim AS assets']),
      'WORKDIR /app',
      ...(row.env ? [`ENV ${row.env.join(' ')}`] : []),
      ...(row.program ? [runLine(row.program(version, app.text(lock ?? '') ?? ''))] : []),
      copyLine(files, './'),
      runLine(lock === undefined ? row.unlocked : row.locked, { caches: [row.cache], secrets }),
      'COPY . .',
      // Pages and styles take parts of PHP packages, such as those of Livewire and Ziggy.
      'COPY --from=packages /app/vendor ./vendor',
      ...argLines(variables),
      runLine(`${row.run} build`, { secrets }),
    ],
  ];
}

/** Node.js and its package managers beside PHP. */
const nodeLines = [
  'COPY --from=node /usr/local/bin/node /usr/local/bin/',
  'COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules',
  'RUN cd /usr/local/bin \\\n' +
    ' && ln -s ../lib/node_modules/npm/bin/npm-cli.js npm \\\n' +
    ' && ln -s ../lib/node_modules/npm/bin/npx-cli.js npx \\\n' +
    ' && ln -s ../lib/node_modules/corepack/dist/corepack.js corepack',
];
