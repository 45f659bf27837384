/** `berth eject`: the Dockerfile that Berth would write, as a file of the folder. */
import { stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lookedFor, planOwnBuild } from '../../server/src/domain/builds/builds.ts';
import type { OwnBuild } from '../../server/src/domain/builds/own-build.ts';
import { viewOf } from '../folder/view.ts';
import { confirm } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import type { Word } from './parts/word.ts';

export const eject: Word = {
  name: 'eject',
  usage: '',
  summary: 'writes the Dockerfile that Berth would build this folder with',
  description:
    'For a folder without a Dockerfile: writes the one that a deployment would use, and .dockerignore, to ' +
    'be changed from then on. In a monorepo run it at the root and name the application with --app; the ' +
    'Dockerfile is written into its folder and built with the root as its context. Asks before it ' +
    'replaces a file.',
  options: {
    folder: { value: 'PATH', description: 'this folder instead of the current one' },
    app: { value: 'PATH', description: 'folder of the application within a monorepo' },
    variable: {
      value: 'NAME',
      multiple: true,
      description: 'a variable that the build needs, such as VITE_API_URL; may be given more than once',
    },
    publish: { value: 'PATH', description: 'folder with the pages that the build makes' },
    yes: { description: 'replaces files without asking' },
  },
  most: 0,
  calls: [],
  async run(context) {
    const folder = resolve(context.terminal.folder, context.text('folder') ?? '.');
    const app = (context.text('app') ?? '').replace(/^\.?\/+|\/+$/g, '').replace(/^\.$/, '');
    const build = planOwnBuild({
      files: await viewOf(folder),
      folder: app,
      publishDirectory: context.text('publish'),
      isSinglePage: false,
      variables: context.texts('variable'),
      secrets: [],
      staticImage: 'caddy:2',
    });
    if (build === undefined)
      throw new UsageError(
        `${join(folder, app)} has none of the files by which Berth knows it: ${lookedFor()}.`,
      );
    if ('refusal' in build) throw new UsageError(build.refusal);
    await write(folder, app, build, (question) => confirm(context.terminal, question, context.is('yes')));
    for (const line of build.why) context.say(line);
    context.answer(
      { dockerfile: placeOf(app), startCommand: build.startCommand, port: build.port },
      () => `Wrote ${placeOf(app)}. ${buildWith(app, build)}\n`,
    );
  },
};

const isInMonorepo = (app: string, { context }: OwnBuild): boolean => app !== '' && context !== app;
const placeOf = (app: string): string => join(app, 'Dockerfile');

function buildWith(app: string, build: OwnBuild): string {
  return isInMonorepo(app, build)
    ? `Set buildPath to / and dockerfile to ${placeOf(app)}, so that its context is the root.`
    : 'From now on it is what `berth deploy` builds with.';
}

async function write(
  folder: string,
  app: string,
  build: OwnBuild,
  sure: (question: string) => Promise<void>,
): Promise<void> {
  // Beside a Dockerfile that is not at the root of its context, BuildKit reads only this name.
  const ignore = isInMonorepo(app, build) ? 'Dockerfile.dockerignore' : '.dockerignore';
  const files = [
    [join(app, 'Dockerfile'), build.dockerfile],
    [join(app, ignore), build.dockerignore],
  ] as const;
  const present: string[] = [];
  for (const [path] of files) if (await isThere(join(folder, path))) present.push(path);
  if (present.length > 0) await sure(`${present.join(' and ')} will be replaced.`);
  for (const [path, text] of files) await writeFile(join(folder, path), text);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
