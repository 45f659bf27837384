/**
 * A compose file, taken as it is (`docker-compose.yml`, the .env and the files beside it), and judged by the
 * translation that a deployment uses.
 */
import { AppError } from '../../server/src/domain/errors.ts';
import { expandBlock } from '../../server/src/domain/variables/env-expansion.ts';
import { parseEnv } from '../../server/src/domain/variables/dotenv.ts';
import { parseComposeFile, type YamlMap } from '../../server/src/modules/compose/compose-file.ts';
import {
  readLinkedFiles,
  type LinkedFiles,
} from '../../server/src/modules/compose/translation/whole/linked-files.ts';
import type { ComposePlan, PlannedService } from '../../server/src/modules/compose/translation/plan.ts';
import { translate } from '../../server/src/modules/compose/translation/translate.ts';
import { mapOf } from '../../server/src/modules/compose/translation/whole/rebasing.ts';
import { dangersOfPlan } from '../../server/src/modules/host-reach/dangers.ts';
import { UsageError } from '../usage-error.ts';
import { textOf, variablesOf, type Imported, type ReadFile } from './imported.ts';

const usualNames = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const field = 'the compose file';

/** What a deployment would make of a compose file. */
export interface CheckedCompose {
  /** In the order in which they are deployed. */
  services: string[];
  refused: string | undefined;
  notes: string[];
}

export async function checkCompose(read: ReadFile, given: string | undefined): Promise<CheckedCompose> {
  const asRecord = await judged(read, given);
  const built = builtServices(asRecord.top);
  // A file that builds is one of a repository: all else of it is judged as there.
  const { plan, refused, files } = built.length === 0 ? asRecord : await judged(read, given, '');
  return {
    services: plan?.services.map(({ name }) => name) ?? [],
    refused,
    notes: plan ? [...built.map(needsRepository), ...notesOf(plan, files)] : [],
  };
}

const builtServices = (top: YamlMap): string[] =>
  [...mapOf(top.get('services'))].flatMap(([name, service]) =>
    mapOf(service).get('build') ? [String(name)] : [],
  );

const needsRepository = (name: string): string =>
  `${name}: is built, so the file has to come from a repository (sourceType git), not from the record.`;

export async function importCompose(
  read: ReadFile,
  given: string | undefined,
  name: string,
): Promise<Imported> {
  const { text, env, top, plan, refused, files } = await judged(read, given);
  const mounts = [...files].map(([filePath, content]) => ({
    type: 'file',
    filePath,
    // Each service has it there as well, unless the file mounts it elsewhere.
    mountPath: `/run/berth/${filePath}`,
    content,
  }));
  return {
    project: textOf(top.get('name')) || name,
    services: {
      [name]: {
        kind: 'compose',
        sourceType: 'raw',
        composeFile: text,
        ...(mounts.length === 0 ? {} : { mounts }),
        ...(env === undefined ? {} : { variables: variablesOf(env) }),
      },
    },
    notes: [
      ...(refused === undefined ? [] : [`A deployment would refuse it: ${refused}`]),
      ...(plan ? notesOf(plan, files) : []),
    ],
  };
}

interface Judged {
  text: string;
  env: string | undefined;
  top: YamlMap;
  plan: ComposePlan | undefined;
  refused: string | undefined;
  /** Those beside it that it names, by their paths. */
  files: ReadonlyMap<string, string>;
}

/**
 * Reads the compose file and what lies beside it, and translates it as a deployment does: of a record, or of
 * the folder of a repository.
 */
async function judged(read: ReadFile, given: string | undefined, folder?: ''): Promise<Judged> {
  let text: string | undefined;
  for (const path of given === undefined ? usualNames : [given]) text ??= await read(path);
  if (text === undefined)
    throw new UsageError(
      `There is no ${given ?? 'compose file'} here. Name the file: berth import compose FILE.`,
    );
  const env = await read('.env');
  const { top } = readable(() => parseComposeFile(text, field));
  const linked = await readLinkedFiles(text, { field, folder: '', read }).catch(asUsage);
  const { plan, refused } = planOf(text, env ?? '', linked, folder);
  const files = new Map([...linked, ...(plan ? await filesOf(plan, read) : [])]);
  return { text, env, top, plan, refused, files };
}

/** What a deployment would make of the file; a refusal as its sentence. */
function planOf(
  text: string,
  env: string,
  files: LinkedFiles,
  folder: '' | undefined,
): { plan?: ComposePlan; refused?: string } {
  try {
    const variables = parseEnv(expandBlock(env, '.env'), '.env');
    return {
      plan: translate({
        text,
        field,
        folder,
        files,
        variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
        blocks: { project: '', environment: '', service: env },
      }),
    };
  } catch (error) {
    if (error instanceof AppError) return { refused: error.message };
    throw error;
  }
}

/** Texts beside the file that its services read or mount; folders are none. */
async function filesOf({ services }: ComposePlan, read: ReadFile): Promise<[string, string][]> {
  const paths = new Set(services.flatMap(pathsOf));
  const found: [string, string][] = [];
  for (const path of paths) {
    const content = path === '.env' ? undefined : await read(path).catch(() => undefined);
    if (content !== undefined) found.push([path, content]);
  }
  return found;
}

const pathsOf = ({ envFiles, files, mounts }: PlannedService): string[] =>
  [
    ...envFiles.map(({ path }) => path),
    ...files.flatMap(({ source }) => (source.from === 'file' ? [source.path] : [])),
    ...mounts.flatMap((mount) => (mount.type === 'own' ? [mount.path] : [])),
  ]
    .map((path) => path.replace(/^\.\//, ''))
    .filter((path) => !path.startsWith('/') && !path.startsWith('..'));

function notesOf(plan: ComposePlan, files: ReadonlyMap<string, string>): string[] {
  const approved = dangersOfPlan(plan).map(
    ({ service, what, value }) =>
      `${service}: ${what} ${value} needs the approval of an Owner or Admin of the installation.`,
  );
  const folders = plan.services.flatMap(({ name, mounts }) =>
    mounts.flatMap((mount) =>
      mount.type === 'own' && !files.has(mount.path.replace(/^\.\//, ''))
        ? [
            `${name}: the folder ${mount.path} stays behind; a volume takes its place. Copy what is in ` +
              'it, or take the file from a repository (sourceType git).',
          ]
        : [],
    ),
  );
  const published = plan.services.flatMap(({ name, ports }) =>
    ports.map(
      ({ published: port, target }) =>
        `${name}: the port ${port}:${target} is published directly, not through the proxy. For HTTP, give ` +
        'it a domain instead and remove the port.',
    ),
  );
  return [...plan.notes, ...approved, ...published, ...folders];
}

function readable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return asUsage(error);
  }
}

function asUsage(error: unknown): never {
  if (error instanceof AppError) throw new UsageError(error.message);
  throw error;
}
