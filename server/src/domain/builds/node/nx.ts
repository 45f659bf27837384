/** Projects of Nx that have a project.json and no start script: what their builds make, and where. */
import type { Source } from '../own-build.ts';
import { jsonOf, objectOf, textOf, type Folder, type SourceFiles } from '../source-files.ts';

export interface NxProject {
  name: string;
  /** Folder of what the build makes, from the root. */
  output: string;
  kind: 'pages' | 'Next.js' | 'program';
}

/** The project of the folder that is built; undefined where it is none, or a library. */
export function nxProjectOf({ app, root }: Source): NxProject | undefined {
  const project = jsonOf(app.text('project.json'));
  if (!root.has('nx.json') || project?.['projectType'] !== 'application') return undefined;
  const build = objectOf(objectOf(project['targets'])?.['build']);
  const given = objectOf(build?.['options'])?.['outputPath'];
  const folder = app.path === '' ? 'app' : app.path;
  const path = textOf(given) ?? textOf(objectOf(given)?.['base']) ?? outputOf(build) ?? `dist/${folder}`;
  const executor = textOf(build?.['executor']) ?? '';
  const kind = kindOf(app, executor);
  const isNewAngular = /angular.*:application$/.test(executor);
  return {
    name: textOf(project['name']) ?? app.path.split('/').at(-1) ?? 'app',
    output: isNewAngular ? `${path}/browser` : path,
    kind,
  };
}

/** `outputs` that name the folder itself. */
function outputOf(build: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const outputs: unknown = build?.['outputs'];
  const first: unknown = Array.isArray(outputs) ? outputs[0] : undefined;
  return typeof first === 'string' ? /^\{workspaceRoot\}\/([\w./-]+)$/.exec(first)?.[1] : undefined;
}

function kindOf(app: Folder, executor: string): NxProject['kind'] {
  if (/[/]next:/.test(executor) || app.named(/^next\.config\.\w+$/).length > 0) return 'Next.js';
  const isPages =
    /angular|[/](?:vite|web|react|vue):/.test(executor) ||
    app.first('index.html', 'src/index.html') !== undefined;
  return isPages ? 'pages' : 'program';
}

/** Folders of the applications of Nx below the root; empty elsewhere. */
export function nxApplications({ paths, texts }: SourceFiles): string[] {
  if (!paths.has('nx.json') || paths.has('project.json')) return [];
  return [...texts.keys()]
    .flatMap((path) => /^(.+)\/project\.json$/.exec(path)?.[1] ?? [])
    .filter((folder) => jsonOf(texts.get(`${folder}/project.json`))?.['projectType'] === 'application')
    .filter((folder) => !folder.endsWith('-e2e'))
    .toSorted();
}
