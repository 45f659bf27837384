/** Heroku: `app.json`, `Procfile`, and what `heroku config -s` printed into a file. */
import { fieldsOf } from '../connection/config.ts';
import { UsageError } from '../usage-error.ts';
import {
  dataNote,
  listOf,
  plainName,
  textOf,
  unknownKeys,
  variablesOf,
  type Imported,
  type ImportedService,
  type ReadFile,
  type Variables,
} from './imported.ts';
import { appJsonOf, applicationsOf, processesOf, quantitiesOf } from './procfile.ts';

/** Add-ons that are a database here, with the variable they set. */
const addons: readonly { plan: RegExp; kind: 'postgres' | 'mysql' | 'redis' | 'mongo'; variable: string }[] =
  [
    { plan: /^heroku-postgresql/, kind: 'postgres', variable: 'DATABASE_URL' },
    { plan: /^(jawsdb|cleardb|stackhero-mysql)/, kind: 'mysql', variable: 'DATABASE_URL' },
    { plan: /^(heroku-redis|heroku-kvs|rediscloud|redistogo)/, kind: 'redis', variable: 'REDIS_URL' },
    { plan: /^(mongolab|mongohq|ormongo)/, kind: 'mongo', variable: 'MONGODB_URI' },
  ];

const knownKeys = [
  'name',
  'description',
  'env',
  'formation',
  'addons',
  'buildpacks',
  'scripts',
  'stack',
  'repository',
  'keywords',
  'website',
  'logo',
  'success_url',
  '$schema',
];

export async function importHeroku(
  read: ReadFile,
  config: string | undefined,
  name: string,
): Promise<Imported> {
  const app = await appJsonOf(read);
  const procfile = await read('Procfile');
  if (!app && procfile === undefined)
    throw new UsageError(
      'There is neither an app.json nor a Procfile here. Run it in the folder of the app.',
    );
  const notes = unknownKeys('app.json', app ?? {}, knownKeys);
  const variables: Variables = {
    ...environmentOf(app?.['env'], notes),
    ...(config === undefined ? {} : variablesOf((await read(config)) ?? '')),
  };
  const databases: Record<string, ImportedService> = {};
  for (const addon of listOf(app?.['addons'])) {
    const plan = textOf(addon) || textOf(fieldsOf(addon)['plan']);
    const row = addons.find((one) => one.plan.test(plan));
    if (!row) {
      notes.push(`The add-on ${plan} has no counterpart here and was left out.`);
      continue;
    }
    const alias = textOf(fieldsOf(addon)['as']);
    const key = databases[row.kind] === undefined ? row.kind : `${row.kind}-${alias.toLowerCase() || plan}`;
    databases[key] = { kind: row.kind };
    variables[alias === '' ? row.variable : `${alias}_URL`] = `\${{${key}.URL}}`;
    notes.push(dataNote(key));
  }
  const postdeploy = textOf(fieldsOf(app?.['scripts'])['postdeploy']);
  if (postdeploy !== '')
    notes.push(
      `The script postdeploy (${postdeploy}) runs once; run it with \`berth run\` after the ` +
        'first deployment.',
    );
  const repository = textOf(app?.['repository']);
  const source =
    repository === ''
      ? { sourceType: 'drop' }
      : { sourceType: 'git', customGitUrl: repository, customGitBranch: 'main' };
  const buildType = textOf(app?.['stack']) === 'container' ? 'dockerfile' : 'heroku_buildpacks';
  if (listOf(app?.['buildpacks']).length > 0)
    notes.push('The list of buildpacks was left out: the builder detects the right one.');
  const quantities = quantitiesOf(app?.['formation']);
  const services = applicationsOf(processesOf(procfile ?? ''), {
    source: { ...source, buildType },
    variables,
    quantities,
  });
  return {
    project: plainName(textOf(app?.['name']), name),
    ...(app?.['description'] === undefined ? {} : { description: textOf(app['description']) }),
    services: { ...databases, ...services },
    notes,
  };
}

/** A value, an object with one, or one that has to be given. */
function environmentOf(env: unknown, notes: string[]): Variables {
  return Object.fromEntries(
    Object.entries(fieldsOf(env)).flatMap(([name, entry]): [string, Variables[string]][] => {
      if (typeof entry === 'string') return [[name, entry]];
      const { value, generator, required } = fieldsOf(entry);
      if (value !== undefined) return [[name, textOf(value)]];
      if (generator === 'secret' || required !== false) return [[name, { secret: true }]];
      notes.push(`The variable ${name} is optional and has no value; it was left out.`);
      return [];
    }),
  );
}
