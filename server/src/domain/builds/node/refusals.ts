/** Sentences for sources of Node.js that cannot be built as they are, with what to do. */
import type { Refusal } from '../own-build.ts';
import { pathIn, type Folder } from '../source-files.ts';

/** For a workspace whose root starts nothing. */
export function chooseAmong(found: readonly string[]): Refusal {
  return {
    refusal:
      'The source is a workspace of several packages, and its root has no start script. Set buildPath to ' +
      `the folder of the one to deploy${found.length === 0 ? '' : `: ${found.slice(0, 20).join(', ')}`}.`,
  };
}

export function nothingToStart(app: Folder): Refusal {
  return {
    refusal:
      `${pathIn(app, 'package.json')} has no start script and no main file, there is no server.js, ` +
      'and no framework that Berth knows is among the dependencies. Add a start script, a Procfile with ' +
      '"web: …", set publishDirectory if the build makes pages, or add a Dockerfile.',
  };
}
