/** Which build type suits a source, for those who chose none, and where a chosen program is not installed. */
import { lookedFor, planOwnBuild } from '../../domain/builds/builds.ts';
import type { OwnBuild, Refusal } from '../../domain/builds/own-build.ts';
import {
  applicationsOfSource,
  chooseOne,
  type SourceApplication,
} from '../../domain/builds/source-applications.ts';
import { AppError } from '../../domain/errors.ts';
import type { BuilderProgram, BuildRequest } from '../../ports/engine/builder.ts';
import { requireInside, type CheckoutPath } from '../files/checkout-path.ts';
import type { ChosenType } from './builders.ts';
import { variablesOf } from './own-variables.ts';
import { viewOf } from './source-view.ts';

/** Programs that find out by themselves how a source is built, in the order in which they are asked. */
const byThemselves = ['railpack', 'nixpacks'] as const satisfies readonly ChosenType[];

export interface Choice {
  type: ChosenType;
  /** Of Berth's own builder. */
  own?: OwnBuild;
}

export type ChoiceRequest = Pick<
  BuildRequest,
  | 'buildType'
  | 'sourceDirectory'
  | 'buildPath'
  | 'dockerfile'
  | 'publishDirectory'
  | 'singlePage'
  | 'buildArguments'
  | 'buildSecrets'
  | 'env'
  | 'onLine'
  | 'onApplications'
>;

interface Tools {
  programs(): Promise<readonly BuilderProgram[]>;
  /** Image of Caddy that serves static sites. */
  staticImage: string;
}

/**
 * What a person chose, where it can be used. For `auto`, and for a nixpacks or railpack that is not there:
 * a Dockerfile, Berth's own builder, railpack or nixpacks, a static site. The log says which and why. Throws
 * PRECONDITION_FAILED with what was looked for and what would help.
 */
export async function chooseBuild(request: ChoiceRequest, tools: Tools): Promise<Choice> {
  const { buildType: asked } = request;
  if (asked === 'auto') return chooseByItself(request, tools);
  const isProgram = byThemselves.some((type) => type === asked);
  if (!isProgram || isInstalled(await tools.programs(), asked)) return { type: asked };
  request.onLine(`The build type is ${asked}, which is not installed here, so Berth chooses as for auto.`);
  return chooseByItself(request, tools);
}

async function chooseByItself(request: ChoiceRequest, tools: Tools): Promise<Choice> {
  const choose = (type: ChosenType, why: string, own?: OwnBuild): Choice => {
    const name = type === 'own' ? "Berth's own builder" : type;
    request.onLine(`Build type auto: ${name}, since ${why}. application.saveBuildType chooses another.`);
    return { type, ...(own && { own }) };
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
  const { own, applications } = await lookAt(request, from, tools.staticImage);
  if (applications.length > 0) await request.onApplications?.(applications);
  if (own && 'language' in own)
    return choose(
      'own',
      `there is no ${dockerfile}, and the source is ${own.framework ?? own.language}`,
      own,
    );
  const known = await tools.programs();
  for (const type of byThemselves) {
    const program = known.find(({ buildTypes }) => buildTypes.includes(type));
    if (program?.version != null)
      return choose(type, `there is no ${dockerfile}, and ${program.name} ${program.version} is here`);
  }
  const choice = from.shown === '' ? chooseOne(applications) : undefined;
  if (own) throw new AppError('PRECONDITION_FAILED', choice ?? own.refusal);
  const page = `${request.publishDirectory ? `${request.publishDirectory}/` : ''}index.html`;
  if (await isFile(page)) return choose('static', `there is no ${dockerfile}, and ${page} is there`);
  throw choice === undefined
    ? nothingSuits(dockerfile, page, known)
    : new AppError('PRECONDITION_FAILED', choice);
}

interface Seen {
  own: OwnBuild | Refusal | undefined;
  applications: SourceApplication[];
}

async function lookAt(request: ChoiceRequest, directory: CheckoutPath, staticImage: string): Promise<Seen> {
  const wish = {
    files: await viewOf(request.sourceDirectory),
    publishDirectory: request.publishDirectory,
    isSinglePage: request.singlePage,
    variables: Object.keys(variablesOf(request)),
    secrets: Object.keys(request.buildSecrets),
    staticImage,
  };
  return {
    own: planOwnBuild({ ...wish, folder: directory.shown }),
    applications: applicationsOfSource(wish),
  };
}

const isInstalled = (programs: readonly BuilderProgram[], type: BuildRequest['buildType']): boolean =>
  programs.some(({ buildTypes, version }) => buildTypes.includes(type) && version !== null);

function nothingSuits(dockerfile: string, page: string, known: readonly BuilderProgram[]): AppError {
  const missing = known
    .filter(({ buildTypes }) => byThemselves.some((type) => buildTypes.includes(type)))
    .map(({ name, problem }) => `${name}: ${problem ?? 'not there'}`);
  return new AppError(
    'PRECONDITION_FAILED',
    `The source has no ${dockerfile}, none of the files by which Berth knows a language ` +
      `(${lookedFor()}), and no ${page}. Set buildPath if they are in another folder, ` +
      `add a ${dockerfile}, or name it or the folder to publish with application.saveBuildType. ` +
      `Programs that know more languages: ${missing.join('; ')}.`,
  );
}
