/** Workspaces of Node.js: the packages of a monorepo, who needs whom, and what is deployed of them. */
import {
  folderOf,
  jsonOf,
  objectOf,
  textOf,
  textsOf,
  type Folder,
  type SourceFiles,
} from '../source-files.ts';

export interface WorkspacePackage {
  /** From the root of the source. */
  folder: string;
  name: string;
  scripts: Readonly<Record<string, string>>;
  dependencies: ReadonlySet<string>;
}

/** The packages that the root names, by their folders; undefined where it names none. */
export function workspaceOf(files: SourceFiles): readonly WorkspacePackage[] | undefined {
  const root = folderOf(files, '');
  const patterns = patternsOf(root);
  if (patterns.length === 0) return undefined;
  const taken = patterns.filter((pattern) => !pattern.startsWith('!')).map(folderPattern);
  const left = patterns.flatMap((pattern) =>
    pattern.startsWith('!') ? [folderPattern(pattern.slice(1))] : [],
  );
  return root.files.flatMap((path) => {
    const folder = /^(.+)\/package\.json$/.exec(path)?.[1];
    if (folder === undefined || !taken.some((one) => one.test(folder))) return [];
    if (left.some((one) => one.test(folder))) return [];
    const manifest = jsonOf(root.text(path));
    return manifest ? [packageOf(folder, manifest)] : [];
  });
}

/** The package with those of the workspace that it needs, each after those it needs itself. */
export function withNeeded(
  packages: readonly WorkspacePackage[],
  wanted: WorkspacePackage,
): WorkspacePackage[] {
  const ordered: WorkspacePackage[] = [];
  const seen = new Set<WorkspacePackage>();
  const visit = (one: WorkspacePackage): void => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const other of packages) if (one.dependencies.has(other.name)) visit(other);
    ordered.push(one);
  };
  visit(wanted);
  return ordered;
}

/** Packages that look like applications: one starts or builds, and no other needs it. */
export function applicationsOf(packages: readonly WorkspacePackage[]): WorkspacePackage[] {
  return packages.filter(
    ({ name, scripts }) =>
      (scripts['start'] !== undefined || scripts['build'] !== undefined) &&
      !packages.some(({ dependencies }) => dependencies.has(name)),
  );
}

function packageOf(folder: string, manifest: Readonly<Record<string, unknown>>): WorkspacePackage {
  return {
    folder,
    name: textOf(manifest['name']) ?? folder,
    scripts: textsOf(manifest['scripts']),
    dependencies: new Set(
      ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((field) =>
        Object.keys(textsOf(manifest[field])),
      ),
    ),
  };
}

/** Of pnpm-workspace.yaml, else of `workspaces` in package.json (npm, yarn, bun, turbo and nx). */
function patternsOf(root: Folder): string[] {
  const yaml = root.text('pnpm-workspace.yaml');
  if (yaml !== undefined) return packagesOfYaml(yaml);
  const field = jsonOf(root.text('package.json'))?.['workspaces'];
  const list = Array.isArray(field) ? field : objectOf(field)?.['packages'];
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

/** The list `packages` of pnpm-workspace.yaml, in either of YAML's forms of a list. */
function packagesOfYaml(text: string): string[] {
  const inline = /^packages:\s*\[([^\]]*)\]/m.exec(text)?.[1];
  const block = /^packages:\s*(?:#.*)?\n((?:[ \t]*(?:-.*|#.*)?(?:\n|$))*)/m.exec(text)?.[1] ?? '';
  const items = inline?.split(',') ?? [...block.matchAll(/^[ \t]*-\s*(.*)$/gm)].map(([, item = '']) => item);
  return items
    .map((item) => item.replace(/\s+#.*$/, '').trim())
    .map((item) => item.replaceAll(/^['"]|['"]$/g, ''))
    .filter((item) => item !== '' && item !== '.');
}

/** `apps/*` and `packages/**` as what matches a folder: `**` stands for one part or more. */
function folderPattern(pattern: string): { test(folder: string): boolean } {
  const wanted = pattern.split('/').filter((part) => part !== '' && part !== '.');
  return {
    test(folder) {
      // Which beginnings of the pattern the parts so far can be.
      let reached = new Set([0]);
      for (const part of folder.split('/')) {
        const next = new Set<number>();
        for (const at of reached) {
          const own = wanted[at];
          if (own === '**') next.add(at).add(at + 1);
          else if (own !== undefined && isLike(own, part)) next.add(at + 1);
        }
        reached = next;
      }
      return reached.has(wanted.length);
    },
  };
}

/** Whether a name is like a pattern in which `*` stands for any characters. */
function isLike(pattern: string, name: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const other of others) {
    const found = name.indexOf(other, at);
    if (found === -1) return false;
    at = found + other.length;
  }
  return at <= name.length - last.length;
}
