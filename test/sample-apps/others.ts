/** Samples of Python, Go, PHP, Ruby, Java, Rust and .NET. */
import { json, lines, type Sample } from './sample.ts';

const python: readonly Sample[] = [
  {
    name: 'django-pip',
    files: {
      'requirements.txt': lines('Django==5.2', 'psycopg2==2.9.10', 'gunicorn'),
      'manage.py': lines("os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')"),
      'shop/settings.py': lines("STATIC_ROOT = BASE_DIR / 'static'"),
      'shop/wsgi.py': '',
      '.python-version': '3.12\n',
    },
    variables: ['DEBUG'],
    framework: 'Django',
    port: 8000,
  },
  {
    name: 'fastapi-uv',
    files: {
      'pyproject.toml': lines(
        '[project]',
        'name = "api"',
        'requires-python = ">=3.11"',
        'dependencies = ["fastapi>=0.115", "uvicorn"]',
      ),
      'uv.lock': 'version = 1\n',
      'app/main.py': lines('from fastapi import FastAPI', 'api = FastAPI()'),
      'main.py': 'print("a tool")\n',
    },
    framework: 'FastAPI',
    port: 8000,
  },
  {
    name: 'flask-poetry',
    files: {
      'pyproject.toml': lines(
        '[tool.poetry]',
        'name = "site"',
        '[tool.poetry.dependencies]',
        'python = "~3.11"',
        'flask = "^3.0"',
      ),
      'poetry.lock': '',
      'app.py': lines('from flask import Flask', 'app = Flask(__name__)'),
    },
    framework: 'Flask',
    port: 8000,
  },
  {
    name: 'flask-factory',
    files: {
      'pyproject.toml': lines('[project]', 'name = "flaskr"', 'dependencies = ["flask"]'),
      'flaskr/__init__.py': lines('from flask import Flask', '', 'def create_app(test_config=None):'),
      'tests/__init__.py': '',
    },
    framework: 'Flask',
    port: 8000,
  },
  {
    name: 'fastapi-in-src',
    files: {
      'pyproject.toml': lines('[project]', 'name = "shop"', 'dependencies = ["fastapi", "uvicorn"]'),
      'pdm.lock': '',
      'src/shop/__init__.py': '',
      'src/shop/main.py': lines('from fastapi import FastAPI', 'def create_app() -> FastAPI:'),
    },
    framework: 'FastAPI',
    port: 8000,
  },
  {
    name: 'script-of-project',
    files: {
      'pyproject.toml': lines(
        '[project]',
        'name = "shop"',
        'dependencies = ["aiohttp"]',
        '[project.scripts]',
        'shop = "shop.cli:main"',
        'shop-import = "shop.cli:import_all"',
        '[tool.uv]',
      ),
      'uv.lock': '',
      'shop/cli.py': '',
    },
    port: 8000,
  },
  {
    name: 'plain-python',
    files: {
      'main.py': 'import http.server\n',
      Procfile: 'web: python -m http.server $PORT\n',
    },
    port: 8000,
  },
];

const goSamples: readonly Sample[] = [
  {
    name: 'go-gin',
    files: {
      'go.mod': lines('module example.com/shop', 'go 1.23', 'require github.com/gin-gonic/gin v1.10.0'),
      'go.sum': '',
      'main.go': 'package main\n',
    },
    framework: 'Gin',
    port: 8080,
  },
  {
    name: 'go-cmd',
    files: {
      'go.mod': lines('module example.com/tools/shop', 'go 1.24.0', 'toolchain go1.24.3'),
      'shop.go': 'package shop\n',
      'cmd/shop/main.go': 'package main\n',
      'cmd/migrate/main.go': 'package main\n',
    },
    variables: ['VERSION'],
    port: 8080,
  },
  {
    name: 'go-workspace',
    files: {
      'go.work': lines('go 1.24', '', 'use (', '\t./api', '\t./lib', ')'),
      'api/go.mod': lines(
        'module example.com/api',
        'go 1.24',
        'require github.com/mattn/go-sqlite3 v1.14.28',
      ),
      'api/main.go': 'package main\n',
      'api/migrations/1.sql': '',
      'lib/go.mod': lines('module example.com/lib', 'go 1.24'),
      'lib/lib.go': 'package lib\n',
    },
    port: 8080,
  },
  {
    name: 'go-without-module',
    files: { 'main.go': 'package main\n' },
    port: 8080,
  },
  {
    name: 'go-vendored',
    files: {
      'go.mod': lines('module shop', 'go 1.26'),
      'vendor/modules.txt': '',
      'server.go': 'package main\n',
    },
    port: 8080,
  },
];

const phpSamples: readonly Sample[] = [
  {
    name: 'laravel-vite',
    files: {
      'composer.json': json({ require: { php: '^8.2', 'laravel/framework': '^12.0', 'ext-gd': '*' } }),
      'composer.lock': '{}',
      'package.json': json({ scripts: { build: 'vite build' }, devDependencies: { vite: '^6.0.0' } }),
      'package-lock.json': '{}',
      'public/index.php': '',
      artisan: '',
    },
    variables: ['VITE_APP_NAME'],
    framework: 'Laravel',
    port: 8080,
  },
  {
    name: 'laravel-wayfinder',
    files: {
      'composer.json': json({ require: { 'laravel/framework': '^12.0' } }),
      'composer.lock': '{}',
      'package.json': json({
        scripts: { build: 'vite build' },
        devDependencies: { vite: '^7.0.0', '@laravel/vite-plugin-wayfinder': '^0.1.3' },
      }),
      'package-lock.json': '{}',
      'public/index.php': '',
    },
    framework: 'Laravel',
    port: 8080,
  },
  {
    name: 'symfony',
    files: {
      'composer.json': json({ require: { php: '>=8.2 <8.4', 'symfony/framework-bundle': '^7.0' } }),
      'composer.lock': '{}',
      'public/index.php': '',
    },
    framework: 'Symfony',
    port: 8080,
  },
  { name: 'plain-php', files: { 'index.php': '<?php echo "hello";', '.php-version': '8.3\n' }, port: 8080 },
];

const rubySamples: readonly Sample[] = [
  {
    name: 'rails-pg',
    files: {
      Gemfile: lines('gem "rails", "~> 8.0"', 'gem "pg"', 'gem "propshaft"', 'gem "puma"'),
      'Gemfile.lock': lines('    rails (8.0.2)', '    pg (1.5.9)'),
      '.ruby-version': 'ruby-3.3.6\n',
      'bin/rails': '',
    },
    framework: 'Rails',
    port: 3000,
  },
  {
    name: 'sinatra',
    files: { Gemfile: lines('ruby "3.2.2"', 'gem "sinatra"', 'gem "puma"'), 'config.ru': '' },
    framework: 'Sinatra',
    port: 3000,
  },
  {
    name: 'rack-procfile',
    files: {
      Gemfile: lines('gem "rack"', 'gem "rackup"'),
      'Gemfile.lock': '    rack (3.1.0)\n',
      Procfile: 'web: bundle exec rackup --host 0.0.0.0 --port 9292\n',
    },
    port: 9292,
  },
];

const javaSamples: readonly Sample[] = [
  {
    name: 'spring-maven',
    files: { 'pom.xml': '<java.version>17</java.version><artifactId>spring-boot-starter-web</artifactId>' },
    framework: 'Spring Boot',
    port: 8080,
  },
  {
    name: 'spring-gradle-wrapper',
    files: {
      'build.gradle.kts':
        'plugins { id("org.springframework.boot") }\nkotlin { jvmToolchain(21) }\n// spring-boot',
      gradlew: '',
    },
    secrets: ['MAVEN_TOKEN'],
    framework: 'Spring Boot',
    port: 8080,
  },
  {
    name: 'spring-gradle-modules',
    files: {
      'settings.gradle.kts': 'include("core", "web")',
      'build.gradle.kts': 'plugins { id("org.springframework.boot") version "3.5.0" apply false }',
      'core/build.gradle.kts': 'plugins { `java-library` }',
      'web/build.gradle.kts': 'plugins { id("org.springframework.boot") } // spring-boot',
      gradlew: '',
    },
    framework: 'Spring Boot',
    port: 8080,
  },
  {
    name: 'gradle-application',
    files: {
      'settings.gradle': "rootProject.name = 'shop'\ninclude 'app'",
      'app/build.gradle': "plugins { id 'application' }\napplication { mainClass = 'shop.App' }",
      gradlew: '',
    },
    port: 8080,
  },
  {
    name: 'spring-maven-modules',
    files: {
      'pom.xml':
        '<packaging>pom</packaging><java.version>17</java.version><modules/>spring-boot-starter-parent',
      'api/pom.xml': '<artifactId>spring-boot-maven-plugin</artifactId>',
      'core/pom.xml': '<artifactId>core</artifactId>',
    },
    framework: 'Spring Boot',
    port: 8080,
  },
  {
    name: 'quarkus-maven',
    files: {
      'pom.xml': '<groupId>io.quarkus</groupId><maven.compiler.release>21</maven.compiler.release>',
      mvnw: '',
    },
    framework: 'Quarkus',
    port: 8080,
  },
];

const rustSamples: readonly Sample[] = [
  {
    name: 'rust-axum',
    files: {
      'Cargo.toml': lines('[package]', 'name = "shop"', '', '[dependencies]', 'axum = "0.8"'),
      'Cargo.lock': '',
      'src/main.rs': '',
    },
    framework: 'Axum',
    port: 8080,
  },
  {
    name: 'rust-rocket',
    files: {
      'Cargo.toml': lines('[package]', 'name = "site"', '', '[dependencies]', 'rocket = "0.5"'),
      'src/main.rs': '',
      'rust-toolchain.toml': lines('[toolchain]', 'channel = "1.85.0"'),
    },
    framework: 'Rocket',
    port: 8080,
  },
  {
    name: 'rust-bin',
    files: {
      'Cargo.toml': lines(
        '[package]',
        'name = "tools"',
        '',
        '[[bin]]',
        'name = "serve"',
        'path = "serve.rs"',
      ),
      'rust-toolchain': 'stable\n',
    },
    port: 8080,
  },
];

const dotnetSamples: readonly Sample[] = [
  {
    name: 'aspnet',
    files: {
      'Shop.csproj': lines(
        '<Project Sdk="Microsoft.NET.Sdk.Web">',
        '<TargetFramework>net9.0</TargetFramework>',
        '</Project>',
      ),
    },
    framework: 'ASP.NET Core',
    port: 8080,
  },
  {
    name: 'aspnet-solution',
    files: {
      'Shop.sln': '',
      'Directory.Packages.props': '',
      'src/Web/Web.csproj': lines(
        '<Project Sdk="Microsoft.NET.Sdk.Web">',
        '<TargetFramework>net8.0</TargetFramework>',
        '<AssemblyName>Shop.Web</AssemblyName>',
      ),
      'src/Core/Core.csproj': '<Project Sdk="Microsoft.NET.Sdk">',
    },
    framework: 'ASP.NET Core',
    port: 8080,
  },
  {
    name: 'dotnet-worker',
    files: {
      'Worker.csproj': '<Project Sdk="Microsoft.NET.Sdk"><OutputType>Exe</OutputType>',
      'global.json': json({ sdk: { version: '8.0.100' } }),
    },
    port: 8080,
  },
];

export const otherSamples: readonly Sample[] = [
  ...python,
  ...goSamples,
  ...phpSamples,
  ...rubySamples,
  ...javaSamples,
  ...rustSamples,
  ...dotnetSamples,
];
