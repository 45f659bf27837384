/**
 * The words of the interface's family: other servers of it, and the clients written for them, say some things
 * with a vendor's word where ours are neutral (interface document, Naming note). One table, for the mount
 * that takes their words and for reading another installation. Pure.
 */

/** Routers: theirs → ours. */
const routers: Readonly<Record<string, string>> = {
  docker: 'container',
  certificates: 'certificate',
  mounts: 'mount',
  redirects: 'redirect',
  security: 'basicAuth',
  auditLog: 'audit',
  volumeBackups: 'volumeBackup',
};

/** Procedures that are called otherwise within a router of the same name: theirs → ours. */
const procedures: Readonly<Record<string, string>> = {
  'application.saveDockerProvider': 'application.saveContainerProvider',
  'registry.testRegistry': 'registry.test',
  'registry.testRegistryById': 'registry.test',
  'backup.listBackupFiles': 'backup.listFiles',
  'deployment.allByCompose': 'deployment.all',
  'mounts.allNamedByApplicationId': 'mount.byApplicationId',
  'rollback.rollback': 'deployment.rollback',
  'schedule.delete': 'schedule.remove',
  'schedule.list': 'schedule.all',
  'schedule.runManually': 'schedule.run',
  // It stores nothing: their clients store the pair with sshKey.create.
  'sshKey.generate': 'sshKey.makePair',
  'volumeBackups.delete': 'volumeBackup.remove',
  'volumeBackups.list': 'volumeBackup.byService',
  'volumeBackups.runManually': 'volumeBackup.run',
};

/** Fields of every input and answer: theirs → ours. */
const fields: Readonly<Record<string, string>> = {
  dockerImage: 'containerImage',
  securityId: 'basicAuthId',
  isDokployNetworkInstalled: 'isServiceNetworkInstalled',
};

/** Fields that one router, or one procedure, calls otherwise: theirs → ours. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'application.saveGitlabProvider': hosted('gitlab'),
  'application.saveBitbucketProvider': hosted('bitbucket'),
  'application.saveGiteaProvider': hosted('gitea'),
  registry: { registryName: 'name' },
  schedule: { cronExpression: 'cron', timezone: 'timeZone' },
  volumeBackup: { cronExpression: 'schedule', timezone: 'timeZone' },
  'server.validate': { docker: 'containerRuntime' },
};

/** Fields of one procedure's input that its answers do not have: theirs → ours. */
const inputFieldsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'deployment.rollback': { rollbackId: 'deploymentId' },
  'audit.all': { from: 'since' },
};

/** Values of a field: theirs → ours. */
const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  certificateType: { letsencrypt: 'acme' },
  previewCertificateType: { letsencrypt: 'acme' },
  sourceType: { docker: 'container' },
  composeType: { 'docker-compose': 'compose' },
};

/** Objects of a person's own keys, and a document of the engine: no word in them is ours. */
const untouched = new Set(['labels', 'requestHeaders']);
const untouchedAnswers = new Set(['container.getConfig']);

function hosted(host: string): Record<string, string> {
  return {
    [`${host}BuildPath`]: 'buildPath',
    [`${host}Owner`]: 'owner',
    [`${host}Repository`]: 'repository',
    [`${host}Branch`]: 'branch',
    [`${host}Id`]: 'githubId',
  };
}

/** Their name of each of our procedures; several where they have several. */
export function familyPaths(own: string): string[] {
  const [router = '', name = ''] = own.split('.');
  const routersOfIt = Object.entries(routers).flatMap(([theirs, ours]) => (ours === router ? [theirs] : []));
  const renamed = Object.entries(procedures).flatMap(([theirs, ours]) => (ours === own ? [theirs] : []));
  return [...routersOfIt.map((theirs) => `${theirs}.${name}`), ...renamed];
}

/** Every other kind of theirs speaks S3. */
const ownProviders: readonly string[] = ['local', 'sftp', 'azure', 'gcs', 'b2'];

/** An input in their words as one in ours. `path` is our procedure. */
export function ownInput(path: string, input: unknown): unknown {
  if (!isObject(input)) return input;
  const words = { ...wordsOf(path), ...inputFieldsOf[path] };
  return renamed(rearranged(path, input), words, (field, value) =>
    path.startsWith('destination.') && field === 'provider' && !ownProviders.includes(String(value))
      ? 's3'
      : (values[field]?.[String(value)] ?? value),
  );
}

/** What they say with other fields together. */
function rearranged(
  path: string,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (path === 'schedule.create' || path === 'schedule.update') return withArgv(input);
  if (path === 'schedule.all') return ofOwner(input, 'scheduleType');
  if (path === 'volumeBackup.byService') return ofOwner(input, 'volumeBackupType');
  if (path === 'volumeBackup.create' || path === 'volumeBackup.update') {
    const { turnOff, ...rest } = input;
    return typeof turnOff === 'boolean' ? { serviceDuring: turnOff ? 'stopped' : 'running', ...rest } : input;
  }
  return input;
}

/** Their commands are texts for a shell of the container, bash unless they name another. */
function withArgv({ shellType, ...input }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { command } = input;
  if (typeof command !== 'string') return input;
  return { ...input, command: [typeof shellType === 'string' ? shellType : 'bash', '-c', command] };
}

/** `{id, scheduleType: "application"}` is `{applicationId}`. */
function ofOwner(input: Readonly<Record<string, unknown>>, typeField: string): Record<string, unknown> {
  const { id, [typeField]: type, ...rest } = input;
  return typeof type === 'string' ? { ...rest, [`${type}Id`]: id } : { ...input };
}

/** A command that a shell reads is one text and the shell's name. */
function withShell(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { command } = record;
  if (!Array.isArray(command)) return record;
  const [shellType, flag, text] = command;
  return command.length === 3 && flag === '-c' && (shellType === 'sh' || shellType === 'bash')
    ? { ...record, command: text, shellType }
    : record;
}

/** An answer of ours, or a part of one, in their words. */
export function familyAnswer(path: string, value: unknown): unknown {
  if (untouchedAnswers.has(path)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => familyAnswer(path, item));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      untouched.has(name) ? item : familyAnswer(path, item),
    ]),
  );
  const shown = path.startsWith('schedule.') ? withShell(inner) : inner;
  return renamed(shown, reversed(wordsOf(path)), (field, item) => theirValues[field]?.[String(item)] ?? item);
}

/** An answer of another server of the family, or a part of one, in our words. */
export function ownRecord(path: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => ownRecord(path, item));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, untouched.has(name) ? item : ownRecord(path, item)]),
  );
  return ownInput(path, inner);
}

/** A field of our input, such as a fault names it, in their words. */
export function familyField(path: string, field: string): string {
  return reversed({ ...wordsOf(path), ...inputFieldsOf[path] })[field] ?? field;
}

function wordsOf(path: string): Readonly<Record<string, string>> {
  const [router = ''] = path.split('.');
  return { ...fields, ...fieldsOf[router], ...fieldsOf[path] };
}

const theirValues = Object.fromEntries(
  Object.entries(values).map(([field, words]) => [field, reversed(words)]),
);

function reversed(words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([theirs, ours]) => [ours, theirs]));
}

/** What an input says in our word already stays, whatever it says in theirs beside it. */
function renamed(
  object: Readonly<Record<string, unknown>>,
  words: Readonly<Record<string, string>>,
  valueOf: (field: string, value: unknown) => unknown,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const word = Object.hasOwn(words, name) ? (words[name] ?? name) : name;
    if (word !== name && Object.hasOwn(object, word)) continue;
    result[word] = valueOf(word, value);
  }
  return result;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
