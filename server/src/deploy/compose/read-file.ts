/**
 * Fetches the compose file and translates it. It is judged with its variables filled in and its repository
 * applied, as it will run.
 */
import { blocksOfRepository } from '../../domain/variables/compose-variables.ts';
import { formatEnv } from '../../domain/variables/dotenv.ts';
import { lookUpIn, readEnvFile } from '../../domain/variables/env-expansion.ts';
import { AppError } from '../../domain/errors.ts';
import { withoutWebPorts } from '../../modules/compose/translation/ports.ts';
import { inFolder } from '../../modules/compose/translation/paths.ts';
import type { ComposePlan } from '../../modules/compose/translation/plan.ts';
import type { Translation } from '../../modules/compose/translation/translate.ts';
import type { Stage } from '../context.ts';
import { fetchRepository, fetchSentence, type RepositoryContext } from '../stages/fetch-repository.ts';
import { sourceDirectory } from '../work-directory.ts';
import { fieldOf, folderOf, type ComposeContext } from './compose-context.ts';

/** The same limit as for a compose file that is stored in the record. */
const fileLimitBytes = 65_536;
const envFileLimitBytes = 500_000;

export const readFile: Stage<ComposeContext> = {
  name: 'checkout',
  resume: 'start',
  holdsBuildSlot: true,
  // Whether anything is built is known only from the file.
  buildsNothing: () => true,
  sentence: ({ compose, pinnedCommit }) =>
    compose.sourceType === 'raw' ? 'Reading the compose file' : fetchSentence(compose, pinnedCommit),
  run: readComposeFile,
};

/** What is needed to read a file and to judge it. */
export type FileContext = RepositoryContext &
  Pick<
    ComposeContext,
    | 'blocks'
    | 'compose'
    | 'judgeFile'
    | 'ownVariables'
    | 'pinnedText'
    | 'plainVariables'
    | 'read'
    | 'variables'
    | 'webPorts'
  > & {
    records: Pick<ComposeContext['records'], 'reserve' | 'mounts'>;
  };

export async function readComposeFile(context: FileContext): Promise<void> {
  const { compose, log } = context;
  const text =
    compose.sourceType === 'raw'
      ? (context.pinnedText ?? compose.composeFile)
      : await repositoryText(context);
  const field = fieldOf(compose);
  // The parser is loaded where a file is read: it costs 6 MB.
  const { translate } = await import('../../modules/compose/translation/translate.ts');
  const { readLinkedFiles } = await import('../../modules/compose/translation/whole/linked-files.ts');
  const folder = folderOf(compose);
  const files = await readLinkedFiles(text, {
    field,
    folder: folder ?? '',
    read: (path) => linkedFile(context, path),
  });
  const whole = translate({
    text,
    field,
    folder,
    files,
    variables: context.variables,
    ...(compose.sourceType === 'raw' ? { blocks: context.blocks } : seenByRepository(context)),
  });
  context.hide([...(context.blocks.services?.given ?? [])]);
  const plan = compose.previewOf === null ? whole : withoutPorts(whole, log);
  // What is not published needs no approval.
  const services = plan.services.map(withoutWebPorts(context.webPorts));
  await context.judgeFile(compose, { ...plan, services }, context.deployment.deploymentId);
  await context.records.reserve(
    compose.composeId,
    plan.services.map(({ name }) => name),
  );
  for (const note of plan.notes) log.line(note);
  log.line(`Services: ${plan.services.map(({ name }) => name).join(', ')}.`);
  context.read = { plan, text };
}

/** Only one service can publish a port of the server, and that is what the preview is of. */
function withoutPorts(plan: ComposePlan, log: FileContext['log']): ComposePlan {
  const publishing = plan.services.filter(({ ports }) => ports.length > 0).map(({ name }) => name);
  if (publishing.length > 0)
    log.line(
      `A preview publishes no port of the server, so ${publishing.join(', ')} can be reached by domains ` +
        'only.',
    );
  return { ...plan, services: plan.services.map((service) => ({ ...service, ports: [] })) };
}

/**
 * Whoever writes the repository may not be allowed to read the variables and databases around the service.
 */
const seenByRepository = ({ ownVariables }: FileContext): Pick<Translation, 'blocks' | 'hint'> => ({
  blocks: blocksOfRepository(ownVariables),
  hint:
    '. A compose file of a repository sees only the variables of its compose service: pass it on with ' +
    'compose.saveEnvironment (NAME=${{project.NAME}}) and write ${NAME} in the file',
});

/** A file beside the compose file: of the repository, or of a mount of type file. */
async function linkedFile(
  { compose, fileSystem, records, ...context }: FileContext,
  path: string,
): Promise<string | undefined> {
  if (compose.sourceType !== 'raw')
    return fileSystem.readInside(sourceDirectory(context), path, {
      field: 'composePath',
      maxBytes: fileLimitBytes,
    });
  const mounts = await records.mounts(compose.composeId);
  return mounts.find((mount) => mount.type === 'file' && mount.filePath === path)?.content ?? undefined;
}

async function repositoryText(context: FileContext): Promise<string> {
  const { compose, fileSystem } = context;
  await fetchRepository(context, compose);
  const source = sourceDirectory(context);
  const text = await fileSystem.readInside(source, compose.composePath, {
    field: 'composePath',
    maxBytes: fileLimitBytes,
  });
  if (text === undefined)
    throw new AppError(
      'BAD_REQUEST',
      `composePath: there is no file ${compose.composePath} in the repository. Set composePath with ` +
        'compose.update.',
    );
  const path = inFolder(folderOf(compose) ?? '', '.env', { field: 'composePath', where: '.env' });
  if (compose.createEnvFile) await writeEnvFile(context, path);
  // As docker compose does, but variables set here win over those in the repository.
  const carried = await fileSystem.readInside(source, path, {
    field: 'composePath',
    maxBytes: envFileLimitBytes,
  });
  if (carried !== undefined)
    context.variables = {
      ...Object.fromEntries(readEnvFile(carried, '.env', lookUpIn(context.ownVariables))),
      ...context.variables,
    };
  return text;
}

async function writeEnvFile(
  { fileSystem, log, plainVariables, ...context }: FileContext,
  path: string,
): Promise<void> {
  const isWritten = await fileSystem.writeInside(sourceDirectory(context), path, formatEnv(plainVariables), {
    field: 'composePath',
  });
  log.line(
    isWritten
      ? 'Wrote .env beside the compose file. A COPY of the whole folder puts it, with its secrets, into ' +
          'an image.'
      : 'The repository has a .env of its own; it is kept, and none was written (createEnvFile).',
  );
}
