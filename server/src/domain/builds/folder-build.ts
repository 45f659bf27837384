/** A build of one folder, from one image of its language: what most languages have alike. */
import { cmdLine, dockerfileOf } from './dockerfile.ts';
import { dockerignoreOf } from './ignore.ts';
import type { OwnBuild, Source } from './own-build.ts';
import type { Folder } from './source-files.ts';

type Lines = readonly (string | undefined)[];

export interface FolderBuild extends Pick<OwnBuild, 'language' | 'framework' | 'port' | 'why'> {
  /** What it is on, for the title: "Ruby 3.4". */
  platform: string;
  /** The image that it is built from. */
  image: string;
  command: readonly string[];
  /** Left out of the build besides what everybody leaves out. */
  ignored: readonly string[];
  /** Stages of the Dockerfile; the last one ends with the port and the start. */
  stages: readonly Lines[];
}

export function folderBuild(
  { app }: Source,
  { language, framework, platform, image, command, ignored, port, why, stages }: FolderBuild,
): OwnBuild {
  return {
    language,
    framework,
    dockerfile: dockerfileOf(
      `${framework ?? 'An application'} on ${platform}, written by Berth.`,
      ...stages.slice(0, -1),
      [...(stages.at(-1) ?? []), `EXPOSE ${port}`, cmdLine(command)],
    ),
    dockerignore: dockerignoreOf(app, ignored),
    context: app.path,
    startCommand: command,
    port,
    why,
    bases: [{ official: image }],
    watchPaths: [],
  };
}

const readAtRun = [
  'assets',
  'config',
  'locales',
  'migrations',
  'public',
  'static',
  'templates',
  'views',
  'web',
];

/** Folders that programs read while they run, which a compiled program does not hold. */
export const runtimeFolders = (app: Folder): string[] =>
  readAtRun.filter((folder) => app.files.some((path) => path.startsWith(`${folder}/`)));
