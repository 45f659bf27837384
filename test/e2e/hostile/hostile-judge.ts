/**
 * Sends one hostile value in one field and judges the answer: refused with the field named, or taken as plain
 * data and given back as it was.
 */
import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { splitWords } from '../../../server/src/domain/text/words.ts';
import { parseGitUrl } from '../../../server/src/domain/git/git-source.ts';
import { parseMachineAddress } from '../../../server/src/domain/names/names.ts';
import { parseObjectPath } from '../../../server/src/domain/names/object-path.ts';
import { measuresServer, settingsOfKind } from './kind-inputs.ts';
import { parseImagePrefix, parseRegistryAddress } from '../../../server/src/modules/registry/address.ts';
import type { NamedProcedure } from '../../../server/src/procedure/describe/listing.ts';
import { hasSecrets } from '../../../server/src/procedure/secret-fields.ts';
import type { Answer } from '../../http/call.ts';
import { valueOf, type Call } from '../fixtures/caller.ts';
import { fieldOf, firstOf, type Fixtures } from '../fixtures/one-of-everything.ts';
import type { HostileValue } from './hostile-values.ts';
import { until } from '../fixtures/applications.ts';
import { nameOf, textAt, withText, type TextField } from './input-fields.ts';
import { inputFor } from './inputs.ts';
import { verbOf } from '../../../server/src/procedure/procedure.ts';

export interface Place {
  call: Call;
  fixtures: Fixtures;
}

export interface HostileCase {
  procedure: NamedProcedure;
  field: TextField;
  value: HostileValue;
  /** What the procedure answers to a harmless value: most succeed, some cannot in this state. */
  harmless: Pick<Answer, 'status' | 'body'>;
}

export type Verdict = { kind: 'refused' | 'accepted' | 'shown' } | { kind: 'wrong'; why: string };

/** A valid input in which this field is read at all. */
export function inputReading(
  path: string,
  field: TextField,
  fixtures: Fixtures,
  unique: string,
): Record<string, unknown> {
  const input = inputFor(path, fixtures, unique);
  const { content: _content, ...withoutContent } = input;
  const { applicationId: _applicationId, ...withoutApplication } = input;
  const costly = costlyField[path];
  if (costly !== undefined && nameOf(field) !== costly) return withoutField(input, costly);
  const beside: Record<string, Record<string, unknown>> = {
    'mount.create hostPath': { ...withoutContent, type: 'bind' },
    'mount.create volumeName': { ...withoutContent, type: 'volume' },
    'mount.create serviceId': withoutApplication,
    'mount.update hostPath': { ...input, type: 'bind' },
    'mount.update volumeName': { ...input, type: 'volume' },
    'mount.update filePath': { ...input, type: 'file', content: 'text' },
    'mount.update content': { ...input, type: 'file' },
    'domain.planRecords baseDomain': {},
    'domain.applyRecords baseDomain': { digest: input['digest'] },
    'domain.create composeId': { ...input, domainType: 'compose', serviceName: 'web' },
    'previewDeployment.create branch': { ...input, image: undefined },
    'previewDeployment.create commit': { ...input, image: undefined },
    'domain.create previewDeploymentId': { ...input, domainType: 'preview' },
    'domain.create customCertResolver': { ...input, https: true, certificateType: 'custom' },
    'domain.update customCertResolver': { ...input, https: true, certificateType: 'custom' },
    'backup.useFormerVolume applicationId': { volumeName: 'berth-former' },
    'backup.useFormerVolume composeId': { volumeName: 'berth-former' },
    'backup.byDatabase mariadbId': {},
    'backup.byDatabase mysqlId': {},
    'backup.byDatabase mongoId': {},
    'application.saveContainerProvider registryUrl': { ...input, password: null },
    'registry.test registryId': {},
    'dnsProvider.update rfc2136.server': { ...input, rfc2136: { secret: 'aGlkZGVuLWRucy1zZWNyZXQ=' } },
    'registry.update registryUrl': { ...input, password: 'something' },
    'destination.testConnection endpoint': { ...input, secretAccessKey: 'something' },
    'certificateResolver.update eab.keyId': { ...input, eab: { keyId: 'someone', hmacKey: 'c29tZXRoaW5n' } },
    'certificateResolver.update eab.hmacKey': {
      ...input,
      eab: { keyId: 'someone', hmacKey: 'c29tZXRoaW5n' },
    },
  };
  const ofKind = settingsOfKind(path, field, fixtures);
  if (ofKind) return { ...input, ...ofKind };
  // A list reads its cursor for a page only.
  if (nameOf(field) === 'cursor') return { ...input, limit: 1 };
  return beside[`${path} ${nameOf(field)}`] ?? input;
}

/**
 * Fields that cost a hash of tens or hundreds of milliseconds each time. They may be absent, so they are when
 * another field is tried.
 */
const costlyField: Readonly<Record<string, string>> = {
  'installationBackup.set': 'passphrase',
  'basicAuth.update': 'password',
};

function withoutField(input: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([each]) => each !== name));
}

export async function judge(
  { procedure: { path, router, procedure }, field, value, harmless }: HostileCase,
  { call, fixtures }: Place,
  unique: string,
): Promise<Verdict> {
  const wrong = (why: string, answer?: Answer): Verdict => ({
    kind: 'wrong',
    why:
      `${path} ${nameOf(field)} = ${value.name}: ` +
      `${why}${answer ? ` (${answer.status} ${answer.text.slice(0, 300)})` : ''}`,
  });
  let answer: Answer;
  try {
    const input = withText(inputReading(path, field, fixtures, unique), field, value.text);
    // An organization has few of these, and other workers make theirs meanwhile and remove them at once.
    answer = await until('there is room for one more', async () => {
      const given = await call(path, input);
      return path in madeForAMoment && isTheMost(given) ? undefined : given;
    });
  } catch (error) {
    return wrong(`no answer: ${String(error)} ${error instanceof Error ? String(error.cause) : ''}`);
  }
  if (answer.status === 200) return accepted();
  if (answer.status === 400 && namesField(answer, field)) return { kind: 'refused' };
  // The parser of JSON itself refuses this one, before there are fields.
  if (answer.status === 400 && field.isKey && value.text === '__proto__') return { kind: 'refused' };
  if (answer.status === 404 && isId(field) && answer.text.includes(field.path[0] ?? ''))
    return { kind: 'refused' };
  // Engine and flat refusals name no field, since the one there is makes it plain which was meant.
  if (
    answer.status === 404 &&
    (named(answer, value.text) || fieldOf(answer.body, 'error') === 'Node not found') &&
    /^(containerId|nodeId|template)$/.test(nameOf(field))
  )
    return { kind: 'refused' };
  if (
    answer.status === 400 &&
    typeof fieldOf(answer.body, 'error') === 'string' &&
    named(answer, nameOf(field))
  )
    return { kind: 'refused' };
  // Where the stored secret may not go along, it is the secret that must be given again.
  if (
    answer.status === 400 &&
    path === 'destination.update' &&
    nameOf(field) === 'endpoint' &&
    /"path":"secretAccessKey"/.test(answer.text)
  )
    return { kind: 'refused' };
  // Whoever tries passwords is stopped before they are read.
  if (answer.status === 429 && credentials.includes(`${path} ${nameOf(field)}`)) return { kind: 'refused' };
  // Or the password beside the field, which is wrong here, is refused by its own name.
  if (
    answer.status === 400 &&
    credentials.includes(`${path} ${nameOf(field)}`) &&
    /"path":"(?:currentPassword|password)"/.test(answer.text)
  )
    return { kind: 'refused' };
  if (answer.status === 409 && namesField(answer, field)) return { kind: 'refused' };
  if (
    answer.status === 403 &&
    guarded.includes(`${path} ${nameOf(field)}`) &&
    answer.text.includes(field.path.at(-1) ?? '')
  )
    return { kind: 'refused' };
  if (answer.status === 413 && verbOf(procedure) === 'GET' && isTooLong(value.text))
    return { kind: 'refused' };
  if (
    asksBucket.includes(path) &&
    (answer.status === 412 || answer.status === 503) &&
    messageOf(answer).startsWith('The destination failed: ')
  )
    return { kind: 'accepted' };
  // Whoever is asked is judged, resolved and found silent first.
  if (
    connects.includes(`${path} ${nameOf(field)}`) &&
    (answer.status === 412 || answer.status === 503) &&
    /^.+ (?:is not a host name|did not resolve|cannot be reached|does not connect there)/s.test(
      messageOf(answer),
    )
  )
    return { kind: 'refused' };
  // A case before gave the mount another volume.
  if (
    path.startsWith('volumeBackup.') &&
    answer.status === 400 &&
    messageOf(answer).includes('is not a volume of the service')
  )
    return { kind: 'accepted' };
  // One restore at a time goes into a database, and the one before may not have ended.
  if (restores.includes(path) && answer.status === 409) return { kind: 'accepted' };
  if (noRecovery.test(messageOf(answer))) return { kind: 'accepted' };
  // The git host of the fixtures answers nobody, and GitHub knows no such code where it can be reached.
  if (asksGitHost.includes(path) && (answer.status === 412 || answer.status === 503))
    return { kind: 'accepted' };
  // Pattern and target together lead in a circle; either of them ends it.
  if (path.startsWith('redirect.') && messageOf(answer).includes('leads in a circle'))
    return { kind: 'refused' };
  // No database of the fixtures runs; a name is data until one does.
  if (path.startsWith('database.') && / is not running at this moment/.test(messageOf(answer)))
    return { kind: 'accepted' };
  // Nor do its servers; what was asked for is kept.
  const unmeasured = /(?: cannot be reached over SSH | did not resolve | has no monitoring\.)/;
  if (
    measuresServer.includes(path) &&
    [412, 503].includes(answer.status) &&
    unmeasured.test(messageOf(answer))
  )
    return { kind: 'accepted' };
  if (
    answer.status < 500 &&
    answer.status === harmless.status &&
    fieldOf(answer.body, 'code') === fieldOf(harmless.body, 'code') &&
    fieldOf(dataOf(answer), 'issues') === undefined
  )
    return { kind: 'accepted' };
  return wrong('neither named nor taken', answer);

  async function accepted(): Promise<Verdict> {
    const record = await recordAfter({ path, router, procedure }, answer.body, { call, fixtures });
    const id = `${router}Id`;
    const removal = madeForAMoment[path];
    if (removal !== undefined) await valueOf(call(removal, { [id]: fieldOf(answer.body, id) }));
    const shown = textAt(record, field);
    // Left there, it would come along with every later answer about the record.
    if (value.text.length >= longText && !path.endsWith('.create'))
      await call(path, withText(inputReading(path, field, fixtures, unique), field, ''));
    if (
      shown === undefined ||
      (value.text.trim() === '' && absentWhenBlank.includes(`${path} ${nameOf(field)}`))
    )
      return { kind: 'accepted' };
    const kept = asDocumented[`${router} ${nameOf(field)}`] ?? asDocumented[nameOf(field)];
    const expected = kept?.(value.text) ?? value.text;
    return isDeepStrictEqual(shown, expected)
      ? { kind: 'shown' }
      : wrong(`came back as ${JSON.stringify(shown)?.slice(0, 200)}`);
  }
}

/** Addresses that are connected to at once. */
const connects: readonly string[] = [
  'dnsProvider.test hostName',
  'registry.test registryUrl',
  'destination.testConnection endpoint',
];

/** Removed at once, by what is named: a host leads to one service, and of the others there are few. */
const madeForAMoment: Readonly<Record<string, string>> = {
  'domain.create': 'domain.delete',
  'logDrain.create': 'logDrain.remove',
  'dnsProvider.create': 'dnsProvider.remove',
  'certificateOrder.create': 'certificateOrder.remove',
  'notification.create': 'notification.remove',
};

const isTheMost = (answer: Answer): boolean =>
  answer.status === 409 && / are the most\.| is the maximum\./.test(messageOf(answer));

/** These ask a git host. */
const asksGitHost = ['gitProvider.branches', 'gitProvider.createFromManifest', 'templateCatalogue.create'];

/**
 * These ask a bucket that nobody has, which costs a process each time, and say in its words why it failed.
 */
const asksBucket: readonly string[] = ['destination.testConnection', 'backup.listFiles'];

const restores = ['backup.restore', 'backup.restoreBackupWithLogs', 'volumeBackup.restore'];
const noRecovery = /^(?:Recovery to a moment was never|at: cannot be restored)/;

/** Characters from which a value is taken out of the record again. */
const longText = 4000;

/** Bytes of address that are refused for their length. */
const addressLimit = 60_000;

/** Encoded it is no shorter than it is, so what is long by itself (1 MB) need not be encoded. */
function isTooLong(text: string): boolean {
  return text.length > addressLimit || encodeURIComponent(JSON.stringify(text)).length > addressLimit;
}

/** A wrong password beside them, or in them, counts as a failed sign-in; after several nothing is read. */
const credentials: readonly string[] = [
  'user.changePassword currentPassword',
  'user.changePassword newPassword',
  'user.delete password',
  'user.delete code',
  'user.twoFactorSetUp password',
];

/** Fields for which nothing written counts as nothing given. */
const absentWhenBlank = [
  'application.create serverId',
  'mount.create filePath',
  'mount.update filePath',
  'sshKey.create publicKey',
  'gitProvider.create username',
  'gitProvider.update username',
];

/** Refused for what it would reach, not for how it is written. */
const guarded = [
  'mount.create hostPath',
  'mount.update hostPath',
  'user.createApiKey metadata.organizationId',
  'server.getServerMetrics url',
];

/** Forms in which the documentation says that a field is kept, of one noun or of all. */
const asDocumented: Record<string, (text: string) => unknown> = {
  name: (text) => text.trim(),
  'application healthCheck.command': (text) => splitWords(text, 'command'),
  'application preReleaseCommand': (text) => splitWords(text, 'command'),
  'application postReleaseCommand': (text) => splitWords(text, 'command'),
  'schedule command': (text) => splitWords(text, 'command'),
  'application customGitUrl': keptAddress,
  'compose customGitUrl': keptAddress,
  'registry registryUrl': parseRegistryAddress,
  'registry imagePrefix': parseImagePrefix,
  'destination path': (text) => parseObjectPath(text, 'path'),
  'server ipAddress': (text) => parseMachineAddress(text, 'ipAddress'),
  'mount mountPath': withoutEnd,
  'mount hostPath': withoutEnd,
};

function keptAddress(text: string): string {
  return text === '' ? text : parseGitUrl(text).url;
}

function withoutEnd(path: string): string {
  return posix.normalize(path).replace(/(.)\/$/, '$1');
}

/** The record as it is after the call. */
async function recordAfter(
  { path, router, procedure }: NamedProcedure,
  body: unknown,
  { call, fixtures }: Place,
): Promise<unknown> {
  if (path === 'application.update')
    return valueOf(call('application.one', { applicationId: fixtures.applicationId }));
  if (path === 'application.deploy' || path === 'application.redeploy') {
    return firstOf(
      fieldOf(
        await valueOf(call('deployment.all', { applicationId: fixtures.applicationId, limit: 1 })),
        'items',
      ),
    );
  }
  const record = path === 'project.create' ? fieldOf(body, 'project') : body;
  const id = fieldOf(record, `${router}Id`);
  // The answer of a change carries no secrets; reading the record does.
  if (procedure.kind !== 'query' && hasSecrets(procedure) && id !== undefined)
    return valueOf(call(`${router}.one`, { [`${router}Id`]: id }));
  return record;
}

function isId({ path, isKey }: TextField): boolean {
  return (
    !isKey &&
    (path.at(-1)?.endsWith('Id') === true ||
      path[0] === 'networks' ||
      path.at(-2)?.startsWith('accessed') === true)
  );
}

function namesField(answer: Answer, { path }: TextField): boolean {
  const issues = fieldOf(dataOf(answer), 'issues');
  const dotted = path.join('.');
  return (
    Array.isArray(issues) &&
    issues.some((issue) => {
      const named = fieldOf(issue, 'path');
      return (
        typeof named === 'string' &&
        named !== '' &&
        (named === dotted || named.startsWith(`${dotted}.`) || dotted.startsWith(`${named}.`))
      );
    })
  );
}

/** Whether the sentence says this. */
function named(answer: Answer, text: string): boolean {
  return messageOf(answer).includes(text);
}

function messageOf({ body }: Answer): string {
  const message = fieldOf(body, 'message');
  return typeof message === 'string' ? message : '';
}

function dataOf({ body }: Answer): unknown {
  return fieldOf(fieldOf(body, 'error'), 'data');
}
