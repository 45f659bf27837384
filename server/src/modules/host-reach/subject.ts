/**
 * What an approval is for: a service in its place, environment and server, with its source. Whoever moves
 * it, copies it or lets it come from somewhere else takes no approval along. Pure.
 */
import type { ApplicationRecord, ComposeRecord, TableRecord } from '../../db/tables.ts';
import { imageName } from '../../domain/names/image-reference.ts';
import { applicationRef, composeRef, databaseRef, serviceKey } from '../../domain/names/service-ref.ts';

type Source = Pick<
  ApplicationRecord | ComposeRecord,
  | 'sourceType'
  | 'repository'
  | 'owner'
  | 'branch'
  | 'gitHost'
  | 'githubId'
  | 'customGitUrl'
  | 'customGitBranch'
  | 'enableSubmodules'
>;

export function subjectOfApplication(
  application: Source &
    Pick<
      ApplicationRecord,
      'applicationId' | 'environmentId' | 'serverId' | 'containerImage' | 'registryUrl'
    >,
): string {
  return subject(
    serviceKey(applicationRef(application.applicationId)),
    application.environmentId,
    ...(application.sourceType === 'container'
      ? [
          'container',
          application.registryUrl,
          application.containerImage && imageName(application.containerImage),
        ]
      : sourceOf(application)),
    ...serverOf(application),
  );
}

export function subjectOfCompose(
  compose: Source & Pick<ComposeRecord, 'composeId' | 'environmentId' | 'serverId' | 'composePath'>,
): string {
  return subject(
    serviceKey(composeRef(compose.composeId)),
    compose.environmentId,
    ...(compose.sourceType === 'raw' ? ['raw'] : [...sourceOf(compose), compose.composePath]),
    ...serverOf(compose),
  );
}

export function subjectOfDatabase({
  databaseId,
  environmentId,
  serverId,
  containerImage,
}: Pick<TableRecord<'database'>, 'databaseId' | 'environmentId' | 'serverId' | 'containerImage'>): string {
  return subject(
    serviceKey(databaseRef(databaseId)),
    environmentId,
    containerImage && imageName(containerImage),
    ...serverOf({ serverId }),
  );
}

/** Berth's own machine goes without saying, as it did before there were others. */
const serverOf = ({ serverId }: Pick<ApplicationRecord, 'serverId'>): string[] =>
  serverId === null ? [] : [`server ${serverId}`];

/** What decides which repository, and which part of it, runs. */
function sourceOf({
  sourceType,
  repository,
  owner,
  branch,
  gitHost,
  githubId,
  customGitUrl,
  customGitBranch,
  enableSubmodules,
}: Source): (string | null)[] {
  return sourceType === 'git'
    ? [sourceType, customGitUrl, customGitBranch, String(enableSubmodules)]
    : [sourceType, gitHost, githubId, owner, repository, branch, String(enableSubmodules)];
}

function subject(...parts: readonly (string | null)[]): string {
  return JSON.stringify(parts);
}
