/** Links to git hosts (interface document, Application: githubId; decisions 2 and 11). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { gitProviderNames, parseRepositoryPart } from '../../domain/git/git-host.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { gitProviderRecord } from './record.ts';
import { line, name } from '../service/contract-fields.ts';

const id = z.object({ gitProviderId: z.string().min(1).max(100) });
const subject = [{ kind: 'gitProvider', field: 'gitProviderId' }] as const;
/** Members choose among the links when they may; only Owner and Admin change them (decisions 2). */
const reading = { class: 'protected', grant: 'canAccessToGitProviders', resources: subject } as const;
const changing = { class: 'admin', resources: subject } as const;

const number = z
  .string()
  .max(20)
  .regex(/^[0-9]+$/, 'must have digits only');
const settings = z.object({
  baseUrl: z
    .string()
    .max(300)
    .nullish()
    .describe(
      'https address of the host where it is your own, such as https://git.example.com; absent: the ' +
        'public one',
    ),
  apiUrl: z
    .string()
    .max(300)
    .nullish()
    .describe('https address of its API, where it does not follow from baseUrl'),
  appId: number.nullish().describe('GitHub App, and required there'),
  installationId: number.nullish().describe('Installation of the GitHub App, and required there'),
  privateKey: z
    .string()
    .max(20_000)
    .nullish()
    .describe('Of the GitHub App in PEM, and required there; never shown'),
  webhookSecret: z
    .string()
    .max(1000)
    .nullish()
    .describe('With which the GitHub App signs its webhooks, and required there; never shown'),
  accessToken: z
    .string()
    .max(10_000)
    .nullish()
    .describe('Required for GitLab, Gitea and Bitbucket; never shown'),
  username: line(300).nullish().describe('Required for Bitbucket: the workspace'),
});
const remote = ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;

export const gitProviderContract = {
  create: mutation({
    summary: 'Links a GitHub App, or GitLab, Gitea or Bitbucket by an access token',
    description:
      'Applications name the link as githubId: their source is fetched with it, and the comments of ' +
      'previews are written with it. An access token needs to read repositories, and to write comments ' +
      'where previews are wanted. ' +
      'Send the webhooks of a GitHub App to /api/deploy/github.',
    access: { class: 'admin', resources: [] },
    input: settings.extend({ provider: z.enum(gitProviderNames), name }),
    example: {
      provider: 'gitea',
      name: 'Our Gitea',
      baseUrl: 'https://git.example.com',
      accessToken: '4f1c2b7a9e',
    },
    output: gitProviderRecord,
  }),
  createFromManifest: mutation({
    summary: 'Links the GitHub App that GitHub has just made from a manifest, by the code that it gave',
    description:
      'GitHub leads back with the code after somebody made the App; it is good once, and for an hour. Then ' +
      'install the App at installUrl, and set its installationId with update. The dashboard does all of it ' +
      'under Settings, Git.',
    access: { class: 'admin', resources: [] },
    input: z.object({
      code: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[A-Za-z0-9_-]+$/, 'must be a code as GitHub gives it'),
    }),
    example: { code: 'a180b1a3d263c81bc6441d7b990bae27d4c10679' },
    output: gitProviderRecord.extend({ installUrl: z.string() }).meta({ id: 'MadeGitProvider' }),
    refusals: remote,
  }),
  one: query({
    summary: 'One git provider, without its secrets',
    access: reading,
    input: id,
    output: gitProviderRecord,
  }),
  all: query({
    summary: 'The git providers of the organization, newest first',
    access: { ...reading, resources: [] },
    input: z.object(pageInput),
    output: listOf(gitProviderRecord),
  }),
  update: mutation({
    summary: 'Changes a git provider; absent fields stay, the secrets too',
    description:
      'Another baseUrl or apiUrl needs the accessToken or privateKey again, so that a stored one never ' +
      'reaches a host it was not given for.',
    access: changing,
    input: id.extend(settings.shape).extend({ name: name.optional() }),
    output: gitProviderRecord,
  }),
  remove: mutation({
    summary: 'Removes a git provider; refused while an application or a compose service names it',
    access: changing,
    input: id,
    output: gitProviderRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  testConnection: mutation({
    summary: 'Signs in to the git host and returns what the credential stands for',
    access: changing,
    input: id,
    output: z.object({ success: z.literal(true), account: z.string() }),
    refusals: remote,
  }),
  repositories: query({
    summary: 'The repositories that a git provider reaches; at most 1,000',
    access: reading,
    input: id,
    output: z.array(
      z.object({ fullName: z.string(), defaultBranch: z.string().nullable(), isPrivate: z.boolean() }),
    ),
    refusals: remote,
  }),
  branches: query({
    summary: 'The branches of a repository at a git provider; at most 1,000',
    access: reading,
    input: id.extend({
      repository: ruled(z.string().min(1).max(600), parseRepositoryPart).describe(
        'Its full name, such as acme/shop',
      ),
    }),
    output: z.array(z.string()),
    refusals: remote,
  }),
};
