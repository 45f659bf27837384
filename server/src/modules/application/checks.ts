/**
 * Rules that the schemas of single fields cannot express: on an application as a change would leave it
 * (decisions 4, Updates), on local repositories, and on whether it can be deployed.
 */
import { AppError, badField } from '../../domain/errors.ts';
import { gitSourceOf, isGitProvider, saveProcedureOf } from '../../domain/git/git-host.ts';
import { parseEnv } from '../../domain/variables/dotenv.ts';
import { parseGitUrl, parseRefName } from '../../domain/git/git-source.ts';
import { parseImageReference, registryOf } from '../../domain/names/image-reference.ts';
import { argumentNamePattern, reservedLabelPattern } from '../../domain/names/names.ts';
import { checkReservations } from '../../domain/resources/resources.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { splitWords } from '../../domain/text/words.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import type { Hosts } from '../../ports/host/host.ts';

export type Patch = Partial<ApplicationRecord>;

/** Fields with the text of an .env file, in the order in which they are checked. */
const envFields = [
  'env',
  'buildArgs',
  'buildSecrets',
  'previewEnv',
  'previewBuildArgs',
  'previewBuildSecrets',
] as const;
/** Those whose names become variables; the names of the others become build arguments or ids of secrets. */
const variableFields: ReadonlySet<string> = new Set(['env', 'previewEnv']);
const constraint = /^(node|engine)\.[a-zA-Z0-9._-]+ *(==|!=) *[a-zA-Z0-9:*()?._/ -]+$/;

/** Checks the changed fields; throws BAD_REQUEST naming the first that breaks a rule. */
export function checkPatch(patch: Patch, present: ApplicationRecord): void {
  for (const field of envFields) if (patch[field]) checkNames(field, patch[field]);
  if (patch.containerImage) parseImageReference(patch.containerImage);
  if (patch.branch) parseRefName(patch.branch, 'branch');
  if (patch.customGitBranch) parseRefName(patch.customGitBranch);
  if (patch.customGitUrl) parseGitUrl(patch.customGitUrl);
  if (patch.command) splitWords(patch.command, 'command');
  for (const text of patch.placement ?? [])
    if (!constraint.test(text))
      throw badField('placement', 'must be like node.role==worker or node.labels.disk!=ssd');
  for (const name of Object.keys(patch.labels ?? {})) checkLabel(name);
  checkReservations({ ...present, ...patch });
  refuseMovedPassword(present, patch);
}

/**
 * Refuses a change that would send the stored password to another registry than it was given for. The engine
 * sends it to the registry of the image, whatever registryUrl says.
 */
function refuseMovedPassword(present: ApplicationRecord, patch: Patch): void {
  if (!present.password || patch.password !== undefined) return;
  const [before, after] = [registriesOf(present), registriesOf({ ...present, ...patch })];
  if (before === after) return;
  throw badField(
    'password',
    `is required with another registry: the stored one was given for ${before}, and this would send it to ` +
      `${after}. Give the password of ${after}, or null for none`,
  );
}

type ImageFields = Pick<ApplicationRecord, 'containerImage' | 'registryUrl'>;

/** How sentences name the registry of the image, with registryUrl where the two differ. */
export function registriesOf({ containerImage, registryUrl }: ImageFields): string {
  const ofImage = registryOf(containerImage ?? '').toLowerCase() || 'docker.io';
  const named = (registryUrl ?? '')
    .replace(/^https?:\/\//i, '')
    .replace(/\/.*$/, '')
    .toLowerCase();
  return named === '' || named === ofImage ? ofImage : `${ofImage} (registryUrl ${named})`;
}

function checkNames(field: string, text: string): void {
  for (const { name, line } of parseEnv(text, field))
    if (!variableFields.has(field) && !argumentNamePattern.test(name))
      throw badField(
        field,
        `line ${line}: the name may have only letters, digits and "_", and must not begin with a digit`,
      );
}

function checkLabel(name: string): void {
  if (!/^[a-zA-Z0-9]([a-zA-Z0-9._/-]*[a-zA-Z0-9])?$/.test(name))
    throw badField('labels', 'has a name with characters other than letters, digits, ".", "_", "/" and "-"');
  if (reservedLabelPattern.test(name)) throw badField('labels', `${name} is reserved`);
}

/**
 * A local repository must be below a folder that the installation's Owner allowed; `allowed` is empty for
 * organizations that may not reach the host.
 */
export function checkLocalRepository(url: string, allowed: readonly string[], field = 'customGitUrl'): void {
  const { protocol, url: path } = parseGitUrl(url, field);
  if (protocol !== 'file') return;
  const normal = path
    .replace(/^file:\/\//, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const inside =
    !normal.includes('..') &&
    allowed.some((folder) => {
      const parts = folder.split('/').filter(Boolean);
      return parts.length <= normal.length && parts.every((part, index) => normal[index] === part);
    });
  if (!inside)
    throw badField(
      field,
      "is a folder of the server outside the setting localRepositoryPaths, which is for the installation's " +
        'organization and trusted ones alone; its Owner can add the parent folder there',
    );
}

/**
 * A deployment is accepted only with a complete source and servers that can be reached (pipeline stage 1,
 * validation).
 */
export async function checkDeployable(application: ApplicationRecord, hosts: Hosts): Promise<void> {
  const missing = missingSource(application);
  if (missing !== undefined)
    throw new AppError('BAD_REQUEST', `${application.name} cannot be deployed yet: ${missing}`, {
      issues: [{ path: 'applicationId', message: missing }],
    });
  await hosts.of(serverKeyOf(application));
  if (application.buildServerId && application.sourceType !== 'container')
    await hosts.of(application.buildServerId);
}

/** What is missing, as the end of a sentence; undefined when the source is complete. */
function missingSource(application: ApplicationRecord): string | undefined {
  const { sourceType, owner, repository, branch } = application;
  // A new application has the default type of source, which nobody chose; so no git host is named.
  if (isGitProvider(sourceType) && !owner && !repository && !branch)
    return (
      'choose a source first: a git repository with application.saveGitProvider, an image with ' +
      'application.saveContainerProvider, or an upload with application.dropDeployment.'
    );
  if (sourceType === 'container')
    return application.containerImage
      ? undefined
      : 'set the image with application.saveContainerProvider first.';
  if (sourceType === 'drop')
    return application.uploadPath ? undefined : 'upload the source with application.dropDeployment first.';
  const save = sourceType === 'git' ? 'saveGitProvider' : saveProcedureOf(sourceType);
  return gitSourceOf(application) ? undefined : `set the repository with application.${save} first.`;
}
