/** Rust: cargo, a package with one program. */
import { aptLine, argLines, copyLine, quoted, runLine, userLine, workFolder } from './dockerfile.ts';
import { folderBuild, runtimeFolders, type FolderBuild } from './folder-build.ts';
import type { Language, Source } from './own-build.ts';
import type { Folder } from './source-files.ts';
import { execForm, portOf, procfileNotes } from './start-command.ts';
import { askedVersion, chosenVersion, numbersOf, type Chosen } from './versions.ts';

const usualVersion = '1';
const usualPort = 8080;

const frameworks = [
  ['axum', 'Axum'],
  ['actix-web', 'Actix'],
  ['rocket', 'Rocket'],
  ['warp', 'warp'],
] as const;

export const rust: Language = {
  name: 'Rust',
  shownBy: 'Cargo.toml',
  reads: /(?:^|\/)(?:Cargo\.toml|rust-toolchain(?:\.toml)?)$/,
  plan(source) {
    const { app, procfile } = source;
    if (!app.has('Cargo.toml')) return undefined;
    const manifest = app.text('Cargo.toml') ?? '';
    const program = programOf(app, manifest);
    if (program === undefined)
      return {
        refusal:
          'Cargo.toml is there, and no program of it was found: Berth takes [[bin]], src/main.rs, or the ' +
          'only file of src/bin. In a workspace set buildPath to the folder of the package to deploy, or ' +
          'add a Dockerfile.',
      };
    const framework = frameworks.find(([name]) => new RegExp(`^${name}\\s*=`, 'm').test(manifest))?.[1];
    const version = versionOf(app);
    const image = `rust:${version.tag}-slim-bookworm`;
    const port = portOf(procfile.web ?? '') ?? usualPort;
    const command = procfile.web === undefined ? [`/app/${program}`] : execForm(procfile.web);
    const isRocket = framework === 'Rocket';
    const locked = app.has('Cargo.lock') ? ' --locked' : '';
    // The cache of target/ is no part of the image, so the program is copied out in the same step.
    const build = `cargo build --release${locked} && cp target/release/${quoted(program)} /usr/local/bin/`;
    return folderBuild(source, {
      language: 'Rust',
      framework,
      platform: `Rust ${version.tag}`,
      image,
      command,
      ignored: ['target'],
      port,
      why: [
        `Cargo.toml: ${framework ?? 'Rust'}. Rust ${version.tag}, ${version.why}.`,
        `The program is ${program}; it has to listen on 0.0.0.0, where PORT says or on ${port}.`,
        ...procfileNotes(procfile),
      ],
      stages: stagesOf(source, { image, build, isRocket, program, port }),
    });
  },
};

interface Facts {
  image: string;
  build: string;
  isRocket: boolean;
  program: string;
  port: number;
}

function stagesOf(
  { app, variables, secrets }: Source,
  { image, build, isRocket, program, port }: Facts,
): FolderBuild['stages'] {
  return [
    [
      `FROM ${image} AS build`,
      aptLine(['pkg-config', 'libssl-dev']),
      'WORKDIR /src',
      'COPY . .',
      ...argLines(variables),
      runLine(build, { caches: ['/usr/local/cargo/registry', '/src/target'], secrets }),
    ],
    [
      'FROM debian:bookworm-slim',
      aptLine(['ca-certificates', 'libssl3']),
      userLine,
      isRocket ? `ENV ROCKET_ADDRESS=0.0.0.0 ROCKET_PORT=${port}` : undefined,
      workFolder('/app', 'app'),
      ...runtimeFolders(app).map((folder) => copyLine([`/src/${folder}`], `./${folder}`, '--from=build')),
      `COPY --from=build /usr/local/bin/${program} /app/${program}`,
      'USER app',
    ],
  ];
}

/** The program that is built: the first [[bin]], the package, or the only file of src/bin. */
function programOf(app: Folder, manifest: string): string | undefined {
  const bin = /^\[\[bin\]\][^[]*?^name\s*=\s*"([\w-]+)"/ms.exec(manifest)?.[1];
  if (bin !== undefined) return bin;
  if (app.has('src/main.rs')) return /^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/ms.exec(manifest)?.[1];
  const others = app.files.flatMap((path) => /^src\/bin\/([\w-]+)(?:\.rs|\/main\.rs)$/.exec(path)?.[1] ?? []);
  return others.length === 1 ? others[0] : undefined;
}

function versionOf(app: Folder): Chosen {
  const text = app.text('rust-toolchain.toml') ?? '';
  const channel = /^\s*channel\s*=\s*"([^"]+)"/m.exec(text)?.[1];
  const asked =
    (channel === undefined ? undefined : { version: channel, file: 'rust-toolchain.toml' }) ??
    askedVersion([app], ['rust-toolchain'], ['rust']);
  const tag = asked && numbersOf(asked.version);
  return chosenVersion(asked, tag, { tag: usualVersion, why: 'the newest one' });
}
