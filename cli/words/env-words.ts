/** `berth env`: the variables of a service. */
import { programArgv } from '../program-argv.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { BerthError } from '../../client/berth-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatEnv } from '../../server/src/domain/variables/dotenv.ts';
import { askSecret, isPersonThere, readText } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import type { Context } from './parts/context.ts';
import { databaseCalls, waiting } from './parts/database-calls.ts';
import {
  assignmentsOf,
  differences,
  merged,
  variablesOf,
  withoutVariables,
  withVariables,
  type Difference,
} from './parts/env-lines.ts';
import { isDatabase, nameOf, serviceOf, type Service } from './parts/services.ts';
import type { Options, ProcedureName, Word } from './parts/word.ts';

const reads: readonly ProcedureName[] = ['project.all', 'application.one', 'compose.one', 'postgres.one'];
const writes: readonly ProcedureName[] = [
  ...reads,
  'application.saveEnvironment',
  'compose.saveEnvironment',
  'postgres.saveEnvironment',
  'application.reload',
  'postgres.reload',
];
const named: Options = {
  service: { short: 's', value: 'SERVICE', description: 'the service, project/service' },
};
const changing: Options = {
  ...named,
  restart: { description: 'restarts the service with it; otherwise it takes effect at the next deploy' },
};

/** A first argument with `/` is the service: no variable's name has one. */
async function place(
  context: Context,
): Promise<{ client: Client; service: Service; args: readonly string[] }> {
  const { client } = await context.berth();
  const [first, ...rest] = context.args;
  const isService = first !== undefined && /^[^=]*\//.test(first) && context.text('service') === undefined;
  const service = await serviceOf(context, isService ? first : context.text('service'));
  return { client, service, args: isService ? rest : context.args };
}

/** Variables as they were read, and of which revision; servers of former versions tell none. */
interface Read {
  env: string;
  revision?: number | undefined;
}

async function read(client: Client, service: Service): Promise<Read> {
  if (service.kind === 'application') return client.application.one({ applicationId: service.id });
  if (service.kind === 'compose') return client.compose.one({ composeId: service.id });
  return databaseCalls(client, service).one();
}

async function write(client: Client, service: Service, { env, revision }: Read): Promise<void> {
  if (service.kind === 'application')
    await client.application.saveEnvironment({ applicationId: service.id, env, revision });
  else if (service.kind === 'compose')
    await client.compose.saveEnvironment({ composeId: service.id, env, revision });
  else await databaseCalls(client, service).saveEnvironment(env, revision);
}

const attempts = 5;

/** What somebody else changed meanwhile stays; of the same variable they are not overruled. */
async function writeMerged(client: Client, service: Service, from: Read, to: string): Promise<void> {
  let [base, wanted] = [from, to];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write(client, service, { env: wanted, revision: base.revision });
    } catch (error) {
      const isStale = error instanceof BerthError && error.code === 'CONFLICT';
      if (!isStale || base.revision === undefined || attempt === attempts) throw error;
      const now = await read(client, service);
      wanted = merged(base.env, wanted, now.env);
      base = now;
    }
  }
}

async function save(
  context: Context,
  client: Client,
  service: Service,
  from: Read,
  to: string,
): Promise<void> {
  const changes = differences(from.env, to);
  if (from.env !== to) await writeMerged(client, service, from, to);
  context.answer({ service: nameOf(service), changes }, () => shown(context, changes));
  if (changes.length === 0) return;
  if (!context.is('restart')) {
    context.say('It takes effect at the next deploy, or with `berth restart`.');
    return;
  }
  if (service.kind === 'compose')
    throw new UsageError('A compose service is not restarted: `berth redeploy` brings it up with them.');
  if (service.kind === 'application')
    await client.application.reload({ applicationId: service.id, appName: service.appName }, waiting);
  else await databaseCalls(client, service).reload(service.appName);
  context.say(`Restarted ${nameOf(service)}.`);
}

const signs = { added: '+', changed: '~', removed: '-' } as const;
const colors = { added: 'green', changed: 'yellow', removed: 'red' } as const;

/** Names alone: values are secrets as often as not. */
function shown({ look }: Context, changes: readonly Difference[]): string {
  if (changes.length === 0) return 'Nothing differs.\n';
  return changes.map(({ name, change }) => `${look(colors[change], `${signs[change]} ${name}`)}\n`).join('');
}

const get: Word = {
  name: 'env get',
  usage: '[service] [NAME …]',
  summary: 'shows the variables of a service',
  options: named,
  calls: reads,
  async run(context) {
    const { client, service, args } = await place(context);
    const all = variablesOf((await read(client, service)).env);
    const missing = args.find((name) => !all.has(name));
    if (missing !== undefined) {
      context.say(
        `${nameOf(service)} has no variable ${missing}.` +
          (/^[a-z0-9-]+$/.test(missing) ? ' A service is written project/service here.' : ''),
      );
      return exitCodes.refused;
    }
    const wanted = [...all].filter(([name]) => args.length === 0 || args.includes(name));
    context.answer(Object.fromEntries(wanted), () =>
      // One value alone is for a shell to take; of several `berth env import` takes the lines back.
      args.length === 1 ? `${wanted[0]?.[1] ?? ''}\n` : formatEnv(Object.fromEntries(wanted)),
    );
    return exitCodes.done;
  },
};

const set: Word = {
  name: 'env set',
  usage: '[service] NAME=VALUE …',
  summary: 'sets variables',
  options: changing,
  calls: writes,
  async run(context) {
    const { client, service, args } = await place(context);
    const changes = assignmentsOf(args);
    if (changes.size === 0)
      throw new UsageError('Which variable? Usage: berth env set [service] NAME=VALUE …');
    const from = await read(client, service);
    await save(context, client, service, from, withVariables(from.env, changes));
  },
};

const unset: Word = {
  name: 'env unset',
  usage: '[service] NAME …',
  summary: 'removes variables',
  options: changing,
  calls: writes,
  async run(context) {
    const { client, service, args } = await place(context);
    if (args.length === 0) throw new UsageError('Which variable? Usage: berth env unset [service] NAME …');
    const from = await read(client, service);
    await save(context, client, service, from, withoutVariables(from.env, new Set(args)));
  },
};

const usualFile = '.env';

async function fileOf(
  { terminal }: Context,
  [path = usualFile]: readonly string[],
): Promise<{ path: string; text: string }> {
  if (path === '-') return { path: 'standard input', text: await readText(terminal, path) };
  return { path, text: await readText(terminal, resolve(terminal.folder, path)) };
}

const importFile: Word = {
  name: 'env import',
  usage: '[service] [FILE]',
  summary: 'sets variables from a file (default .env; - is standard input)',
  options: { ...changing, replace: { description: 'removes those that are not in the file' } },
  calls: writes,
  async run(context) {
    const { client, service, args } = await place(context);
    const { path, text } = await fileOf(context, args);
    const variables = variablesOf(text, path);
    const from = await read(client, service);
    const to = context.is('replace') ? text.trimEnd() : withVariables(from.env, variables);
    await save(context, client, service, from, to);
  },
};

const diff: Word = {
  name: 'env diff',
  usage: '[service] [FILE]',
  summary: 'shows what `env import --replace` would change; exit code 1 if anything',
  options: named,
  calls: reads,
  async run(context) {
    const { client, service, args } = await place(context);
    const { path, text } = await fileOf(context, args);
    const changes = differences((await read(client, service)).env, text, path);
    context.answer(changes, () => shown(context, changes));
    return changes.length === 0 ? exitCodes.done : exitCodes.refused;
  },
};

const edit: Word = {
  name: 'env edit',
  usage: '[service]',
  summary: 'opens the variables in $VISUAL or $EDITOR',
  options: changing,
  calls: writes,
  async run(context) {
    const { client, service } = await place(context);
    const { environment, runProgram } = context.terminal;
    const named = environment['VISUAL'] || environment['EDITOR'];
    if (!named && !isPersonThere(context.terminal))
      throw new UsageError(
        'An editor needs a terminal. `berth env set` and `berth env import` change variables without one.',
      );
    const [editor = 'vi', ...words] = (named || 'vi').split(/\s+/);
    const from = await read(client, service);
    const folder = await mkdtemp(join(tmpdir(), 'berth-env-'));
    try {
      const path = join(folder, 'variables.env');
      await writeFile(path, from.env === '' ? '' : `${from.env}\n`, { mode: 0o600 });
      if ((await runProgram(programArgv(editor, ...words, path))) !== 0)
        throw new UsageError(`${editor} failed; nothing was changed.`);
      await save(context, client, service, from, (await readFile(path, 'utf8')).trimEnd());
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const setSecret: Word = {
  name: 'secret set',
  usage: '[service] NAME …',
  summary: 'sets secret variables, which are never shown again',
  description:
    'The values are asked for and not shown; in a pipe each is a line of the standard input. They win over ' +
    'variables of the same name and take effect at the next deploy. `berth env` does not show them.',
  options: named,
  calls: ['project.all', 'application.saveEnvironment', 'compose.saveEnvironment'],
  async run(context) {
    const { client, service, args } = await place(context);
    if (args.length === 0) throw new UsageError('Which variable? Usage: berth secret set [service] NAME …');
    if (isDatabase(service))
      throw new UsageError(`${nameOf(service)} is a database; databases have no secret variables.`);
    const values: Record<string, string> = {};
    for (const name of args) {
      if (name.includes('='))
        throw new UsageError(
          `Give the name alone: ${name.split('=')[0] ?? ''}. The value is asked for, so that it ` +
            'stands in no history and in no list of processes.',
        );
      if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name))
        throw new UsageError(`"${name}" is not a valid variable name.`);
    }
    for (const name of args) values[name] = await askSecret(context.terminal, `${name}: `);
    const secretEnv = formatEnv(values);
    if (service.kind === 'compose')
      await client.compose.saveEnvironment({ composeId: service.id, secretEnv });
    else await client.application.saveEnvironment({ applicationId: service.id, secretEnv });
    context.say(`Set ${args.join(', ')} of ${nameOf(service)}; in effect at its next deploy.`);
  },
};

export const envWords: readonly Word[] = [get, set, unset, importFile, edit, diff, setSecret];
