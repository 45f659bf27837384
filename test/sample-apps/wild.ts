/** Samples of what applications in public repositories have besides. */
import { json, lines, type Sample } from './sample.ts';

const node: readonly Sample[] = [
  {
    name: 'next-pnpm-started-by-pnpm',
    files: {
      'package.json': json({
        packageManager: 'pnpm@10.19.0',
        scripts: { build: 'next build', start: 'pnpm with-env next start', 'with-env': 'dotenv -e .env --' },
        dependencies: { next: '15.5.0', 'dotenv-cli': '10.0.0' },
      }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    },
    framework: 'Next.js',
    port: 3000,
  },
  {
    name: 'nest-compiled-at-start',
    files: {
      'package.json': json({
        scripts: { 'prestart:prod': 'tsc', 'start:prod': 'node dist/main.js' },
        dependencies: { '@nestjs/core': '11.0.0' },
        devDependencies: { typescript: '5.9.0' },
      }),
      'package-lock.json': '{}',
    },
    framework: 'NestJS',
    port: 3000,
  },
  {
    name: 'remix-prisma',
    files: {
      'package.json': json({
        scripts: { build: 'remix build', start: 'remix-serve ./build/index.js', setup: 'prisma generate' },
        dependencies: { '@remix-run/serve': '2.0.0', '@prisma/client': '6.0.0', prisma: '6.0.0' },
      }),
      'package-lock.json': '{}',
      'prisma/schema.prisma': '',
    },
    framework: 'Remix',
    port: 3000,
  },
  {
    name: 'react-router-pages',
    files: {
      'package.json': json({
        scripts: { build: 'react-router build', start: 'react-router-serve ./build/server/index.js' },
        dependencies: { '@react-router/serve': '7.0.0' },
        devDependencies: { '@react-router/dev': '7.0.0', vite: '7.0.0' },
      }),
      'package-lock.json': '{}',
      'react-router.config.ts': lines('export default {', '  ssr: false,', '};'),
    },
    framework: 'React Router',
    port: 80,
  },
  {
    name: 'vitepress-in-docs',
    files: {
      'package.json': json({
        scripts: { 'docs:build': 'vitepress build docs' },
        devDependencies: { vitepress: '1.6.0' },
      }),
      'package-lock.json': '{}',
      'docs/index.md': '# Hello\n',
    },
    framework: 'VitePress',
    port: 80,
  },
];

const nx = {
  'package.json': json({
    scripts: { start: 'nx serve', build: 'nx build' },
    dependencies: { express: '5.0.0', react: '19.0.0' },
    devDependencies: { nx: '21.0.0', vite: '7.0.0' },
  }),
  'package-lock.json': '{}',
  'nx.json': '{}',
  'apps/api/project.json': json({
    name: 'api',
    projectType: 'application',
    targets: { build: { executor: '@nx/esbuild:esbuild', options: { outputPath: 'dist/apps/api' } } },
  }),
  'apps/api/src/main.ts': '',
  'apps/shop/project.json': json({
    name: 'shop',
    projectType: 'application',
    targets: { build: { executor: '@nx/vite:build', options: { outputPath: 'dist/apps/shop' } } },
  }),
  'libs/words/project.json': json({ name: 'words', projectType: 'library' }),
};

const nxSamples: readonly Sample[] = [
  {
    name: 'nx-express',
    folder: 'apps/api',
    files: nx,
    framework: 'Express',
    port: 3000,
    watchPaths: ['**'],
  },
  { name: 'nx-pages', folder: 'apps/shop', files: nx, framework: 'Vite', port: 80, watchPaths: ['**'] },
];

const others: readonly Sample[] = [
  {
    name: 'spring-procfile',
    files: {
      'pom.xml': '<project><artifactId>shop</artifactId>spring-boot</project>\n',
      'system.properties': 'java.runtime.version=17\n',
      Procfile: 'web: java $JAVA_OPTS -jar target/shop-1.0.0.jar --server.port=$PORT\n',
    },
    framework: 'Spring Boot',
    port: 8080,
  },
  {
    name: 'fastapi-from-function',
    files: {
      'requirements.txt': lines('fastapi', 'uvicorn'),
      'app/main.py': lines('from app.core import get_application', 'app = get_application()'),
    },
    framework: 'FastAPI',
    port: 8000,
  },
  {
    name: 'symfony-asset-mapper',
    files: {
      'composer.json': json({
        require: {
          'ext-ctype': '*',
          'ext-redis': '*',
          'symfony/framework-bundle': '7.3.*',
          'symfony/asset-mapper': '7.3.*',
        },
      }),
      'composer.lock': '{}',
      'public/index.php': '',
    },
    framework: 'Symfony',
    port: 8080,
  },
  {
    name: 'aspnet-beside-its-library',
    folder: 'src/Shop.Api',
    files: {
      'src/Shop.Api/Shop.Api.csproj': lines(
        '<Project Sdk="Microsoft.NET.Sdk.Web">',
        '  <PropertyGroup><TargetFramework>net9.0</TargetFramework></PropertyGroup>',
        '  <ItemGroup><ProjectReference Include="..\\Shop.Data\\Shop.Data.csproj" /></ItemGroup>',
        '</Project>',
      ),
      'src/Shop.Data/Shop.Data.csproj': '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
    },
    framework: 'ASP.NET Core',
    port: 8080,
    watchPaths: ['**'],
  },
];

export const wildSamples: readonly Sample[] = [...node, ...nxSamples, ...others];
