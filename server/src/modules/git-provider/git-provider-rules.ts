/** What a link to a git host must have: one row per provider. Pure. */
import { createPrivateKey } from 'node:crypto';
import type { TableRecord } from '../../db/tables.ts';
import { badField } from '../../domain/errors.ts';
import { gitHosts, parseGitHost, type CredentialField } from '../../domain/git/git-host.ts';

export type GitProviderRecord = TableRecord<'git_provider'>;

const fields: readonly CredentialField[] = [
  'appId',
  'installationId',
  'privateKey',
  'webhookSecret',
  'accessToken',
  'username',
];

export interface GitProviderInput
  extends Partial<Record<CredentialField | 'baseUrl' | 'apiUrl', string | null | undefined>> {
  name?: string | undefined;
}

/**
 * The link as it will be: checked, with the addresses that follow. BAD_REQUEST naming the field, also one
 * that its provider has no use for.
 */
export function checkedProvider(
  present: GitProviderRecord,
  input: GitProviderInput,
  /** Of an App that is made and not installed anywhere yet. */
  { awaitsInstallation = false } = {},
): GitProviderRecord {
  const provider = present.provider;
  const row = gitHosts[provider];
  const record: GitProviderRecord = { ...present, name: input.name ?? present.name };
  for (const field of fields) {
    const given = input[field];
    if (given && !row.needs.includes(field)) throw badField(field, `does not go with ${provider}`);
    record[field] = row.needs.includes(field) ? (given === undefined ? present[field] : given || null) : null;
    const mayWait = awaitsInstallation && field === 'installationId';
    if (row.needs.includes(field) && record[field] === null && !mayWait)
      throw badField(field, `is required for ${provider}`);
  }
  record.baseUrl =
    input.baseUrl === undefined && present.baseUrl !== ''
      ? present.baseUrl
      : parseGitHost(input.baseUrl ?? gitHosts[provider].address, 'baseUrl');
  const follows =
    input.apiUrl === null ||
    (input.apiUrl === undefined && (present.apiUrl === '' || record.baseUrl !== present.baseUrl));
  record.apiUrl = follows
    ? row.apiUrl(record.baseUrl)
    : parseGitHost(input.apiUrl ?? present.apiUrl, 'apiUrl');
  if (record.privateKey !== null && input.privateKey) checkPrivateKey(record.privateKey);
  // It goes into a header, which takes nothing else.
  if (/[^\x21-\x7e]/.test(record.accessToken ?? ''))
    throw badField('accessToken', 'must be printable ASCII characters, without spaces or line breaks');
  return record;
}

/** A stored credential goes to no address that it was not given for. */
export function refuseMovedCredential(
  present: GitProviderRecord,
  changed: GitProviderRecord,
  input: GitProviderInput,
): void {
  if (changed.baseUrl === present.baseUrl && changed.apiUrl === present.apiUrl) return;
  const secret = present.provider === 'github' ? 'privateKey' : 'accessToken';
  if (!input[secret])
    throw badField(
      secret,
      `is required with another address: the stored one was given for ${addressOf(present)}, not for ` +
        `${addressOf(changed)}, and reaches no host it was not given for`,
    );
}

function addressOf({ baseUrl, apiUrl }: Pick<GitProviderRecord, 'baseUrl' | 'apiUrl'>): string {
  return apiUrl.startsWith(`${baseUrl}/`) ? baseUrl : `${baseUrl} (${apiUrl})`;
}

function checkPrivateKey(pem: string): void {
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return;
  } catch {
    throw badField(
      'privateKey',
      'is not a private key in PEM without a passphrase; GitHub provides one on the page of the App',
    );
  }
  throw badField('privateKey', 'must be an RSA key, as GitHub makes them');
}
