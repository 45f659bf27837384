/** The applications of a source that has several, for a person to choose one. Pure. */
import { planOwnBuild } from './builds.ts';
import { sharedFiles } from './node/package-programs.ts';
import { applicationsOf, withNeeded, workspaceOf, type WorkspacePackage } from './node/workspaces.ts';
import type { BuildWish } from './own-build.ts';
import { folderOf } from './source-files.ts';

/** One application of a source that has several, as it is stored. */
export interface SourceApplication {
  /** From the root of the source: the value of buildPath that builds it. */
  folder: string;
  name: string;
  /** Framework or language; "Dockerfile" for one that brings its own. */
  what: string;
  /** Patterns of paths whose changes concern it. */
  watchPaths: string[];
}

type Wish = Omit<BuildWish, 'folder'>;

/** More are no list that anybody chooses from. */
const mostApplications = 30;
/** Folders that are looked at for one. */
const mostFolders = 100;
const deepest = 3;

const manifest =
  /^(?:Dockerfile|package\.json|project\.json|requirements\.txt|pyproject\.toml|Pipfile|go\.mod|Gemfile|Cargo\.toml|composer\.json|index\.php|pom\.xml|build\.gradle(?:\.kts)?|.+\.(?:csproj|fsproj))$/;
/** Folders whose applications serve tests and authors. */
const aside = /(?:^|\/)(?:tests?|__tests__|fixtures|examples?|vendor|third_party)(?:\/|$)/;

/**
 * Those of a workspace, and those of folders that have a Dockerfile or are of a language; empty for a source
 * that is one application.
 */
export function applicationsOfSource(wish: Wish): SourceApplication[] {
  const packages = workspaceOf(wish.files);
  if (wish.files.paths.has('Dockerfile')) return [];
  const whole = packages ? undefined : planOwnBuild({ ...wish, folder: '' });
  if (whole && !('refusal' in whole)) return [];
  return foldersOf(wish, packages)
    .flatMap((folder) => applicationIn(wish, packages, folder))
    .slice(0, mostApplications);
}

/** Without folders below another one, and without the libraries of a workspace. */
function foldersOf({ files }: Wish, packages: readonly WorkspacePackage[] | undefined): string[] {
  const members = new Set(packages?.map(({ folder }) => folder));
  const applications = packages ? applicationsOf(packages).map(({ folder }) => folder) : [];
  const shown = [...files.paths].flatMap((path) => {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    const folder = parts.join('/');
    const isNear = parts.length > 0 && parts.length <= deepest && !aside.test(folder);
    return isNear && manifest.test(name) && !members.has(folder) ? [folder] : [];
  });
  const folders = [...new Set([...applications, ...shown])].toSorted();
  return folders
    .filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)))
    .slice(0, mostFolders);
}

function applicationIn(
  wish: Wish,
  packages: readonly WorkspacePackage[] | undefined,
  folder: string,
): SourceApplication[] {
  const member = packages?.find((one) => one.folder === folder);
  const name = member?.name ?? folder.split('/').at(-1) ?? folder;
  if (wish.files.paths.has(`${folder}/Dockerfile`)) {
    const needed = packages && member ? withNeeded(packages, member) : [{ folder }];
    const shared = member ? sharedFiles(folderOf(wish.files, '')) : [];
    const watchPaths = [...needed.map((one) => `${one.folder}/**`), ...shared];
    return [{ folder, name, what: 'Dockerfile', watchPaths }];
  }
  const plan = planOwnBuild({ ...wish, folder });
  if (plan === undefined || 'refusal' in plan) return [];
  const watchPaths = plan.watchPaths.length > 0 ? [...plan.watchPaths] : [`${folder}/**`];
  return [{ folder, name, what: plan.framework ?? plan.language, watchPaths }];
}

/** The sentence for a source whose application was not chosen; undefined where there are not several. */
export function chooseOne(applications: readonly SourceApplication[]): string | undefined {
  if (applications.length === 0) return undefined;
  const list = applications.map(({ folder, what }) => `${folder} (${what})`).join(', ');
  return `The source has several applications. Set buildPath to the folder of the one to deploy: ${list}.`;
}
