/** Which build type suits a source, for those who chose none. */
import type { BuildType } from '../../domain/build-type.ts';
import { AppError } from '../../domain/errors.ts';
import type { BuilderProgram, BuildRequest } from '../../ports/engine/builder.ts';
import { requireInside } from '../files/checkout-path.ts';

export type ChosenType = Exclude<BuildType, 'auto'>;

/** Programs that find out by themselves how a source is built, in the order in which they are asked. */
const byThemselves = ['railpack', 'nixpacks'] as const satisfies readonly ChosenType[];

type Source = Pick<
  BuildRequest,
  'sourceDirectory' | 'buildPath' | 'dockerfile' | 'publishDirectory' | 'onLine'
>;

/**
 * A Dockerfile, else a program that is here, else a static site; the log says which and why. Throws
 * PRECONDITION_FAILED with what was looked for and what would help.
 */
export async function chooseBuildType(
  request: Source,
  programs: () => Promise<readonly BuilderProgram[]>,
): Promise<ChosenType> {
  const choose = (type: ChosenType, why: string): ChosenType => {
    request.onLine(`Build type auto: ${type}, since ${why}. application.saveBuildType chooses another.`);
    return type;
  };
  const { sourceDirectory: source, buildPath } = request;
  const from = await requireInside(source, buildPath, { field: 'buildPath', kind: 'folder' });
  const isFile = (path: string): Promise<boolean> =>
    requireInside(source, path, { field: 'buildType', kind: 'file', from }).then(
      () => true,
      () => false,
    );
  const dockerfile = request.dockerfile === '' ? 'Dockerfile' : request.dockerfile;
  if (await isFile(dockerfile)) return choose('dockerfile', `the source has a ${dockerfile}`);
  const known = await programs();
  for (const type of byThemselves) {
    const program = known.find(({ buildTypes }) => buildTypes.includes(type));
    if (program?.version != null)
      return choose(type, `there is no ${dockerfile}, and ${program.name} ${program.version} is here`);
  }
  const page = `${request.publishDirectory ? `${request.publishDirectory}/` : ''}index.html`;
  if (await isFile(page))
    return choose(
      'static',
      `there is no ${dockerfile}, neither railpack nor nixpacks is here, and ${page} is`,
    );
  throw nothingSuits(dockerfile, page, known);
}

function nothingSuits(dockerfile: string, page: string, known: readonly BuilderProgram[]): AppError {
  const missing = known
    .filter(({ buildTypes }) => byThemselves.some((type) => buildTypes.includes(type)))
    .map(({ name, problem, install }) => `${name} (${problem ?? 'not there'}; ${install})`);
  return new AppError(
    'PRECONDITION_FAILED',
    `The source has no ${dockerfile} and no ${page}, and no program that builds without them works here: ` +
      `${missing.join('; ')}. Add a ${dockerfile}, name it or the folder to publish with ` +
      'application.saveBuildType, set buildPath when it stands in another folder, or install one of them.',
  );
}
