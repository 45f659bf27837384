/** Preview deployments, of pull requests and made by hand (interface document, Preview deployments). */
import { z } from 'zod';
import { parseCommit, parseRefName } from '../../domain/git/git-source.ts';
import { parseImageReference } from '../../domain/names/image-reference.ts';
import { previewNamePattern } from '../../domain/names/preview.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { logEvent } from '../../procedure/log-event.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { line, requireOneService } from '../service/contract-fields.ts';
import {
  previewDeploymentRecord,
  shownPreviewDeployment,
  waitingPullRequest,
  wholePreviewDeployment,
} from './record.ts';

const id = z.object({ previewDeploymentId: z.string().min(1).max(100) });
const own = {
  class: 'protected',
  resources: [{ kind: 'previewDeployment', field: 'previewDeploymentId' }],
} as const;

const serviceIds = {
  applicationId: z.string().min(1).max(100).optional(),
  composeId: z.string().min(1).max(100).optional(),
};
const ofService = [
  { kind: 'application', field: 'applicationId' },
  { kind: 'compose', field: 'composeId' },
] as const;

const asked = z
  .object({
    ...serviceIds,
    name: z
      .string()
      .regex(
        previewNamePattern,
        'must be 1 to 25 small letters, digits and "-", begin with a letter and not end with "-"',
      )
      .describe('Its host is `preview-<appName>-<name>` below the wildcard'),
    branch: ruled(line(250).min(1), parseRefName)
      .nullish()
      .describe('Branch of the repository of the service; its newest commit is deployed'),
    commit: ruled(line(64), parseCommit)
      .nullish()
      .describe('Whole id of a commit, in place of a branch; it gets no variables or secrets'),
    image: ruled(line(500).min(1), parseImageReference)
      .nullish()
      .describe(
        'Image that runs in place of a build, for applications. The stored password of an application goes ' +
          'to the registry it was given for',
      ),
    expiresInHours: z
      .number()
      .int()
      .min(1)
      .max(8760)
      .nullish()
      .describe('Removed after so long, counted from the newest call; null: it stays until it is deleted'),
    title: line(200).default('Preview deployment'),
    description: z.string().max(2000).default(''),
  })
  .superRefine((input, context) => {
    requireOneService(input, context);
    const given = (['branch', 'commit', 'image'] as const).filter((field) => input[field] != null);
    if (given.length === 1) return;
    const message =
      given.length === 0 ? 'is required, or commit or image' : `excludes ${given.slice(0, -1).join(' and ')}`;
    context.addIssue({ code: 'custom', path: [given.at(-1) ?? 'branch'], message });
  });

export const previewDeploymentContract = {
  all: query({
    summary: 'The preview deployments of an application or compose service, newest first',
    access: { class: 'protected', resources: ofService },
    input: z.object({ ...serviceIds, ...pageInput }).superRefine(requireOneService),
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: listOf(shownPreviewDeployment),
  }),
  one: query({
    summary: 'One preview deployment with its application or compose service',
    access: own,
    input: id,
    output: wholePreviewDeployment,
  }),
  create: mutation({
    summary: 'Makes a preview of a branch, a commit or an image, without a pull request',
    description:
      'By its name it is found again: the same call deploys the same preview anew, the newest of its ' +
      'branch. A preview of a commit alone gets no variables or secrets, since hosts serve the commits of ' +
      'forks too; it never becomes one of a branch or an image, or the other way round (409).',
    access: { class: 'protected', action: 'deploy', resources: ofService },
    input: asked,
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k', name: 'checkout', branch: 'feature/checkout' },
    output: previewDeploymentRecord,
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  }),
  waiting: query({
    summary: 'Pull requests whose newest commit waits for an approval, newest first',
    description:
      'Those of forks, and of authors who may not write to the repository, while ' +
      'previewRequireCollaboratorPermissions is on; the newest 100 of a service.',
    access: { class: 'protected', resources: ofService },
    input: z.object({ ...serviceIds, ...pageInput }).superRefine(requireOneService),
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: listOf(waitingPullRequest),
  }),
  approve: mutation({
    summary: 'Makes the preview of exactly one commit of a pull request that waits for an approval',
    description:
      'The commit must be the newest (409 otherwise), and the next push waits for an approval of its own ' +
      'while this one goes on running. Without withVariables it gets no variables, secrets or files; a ' +
      'preview that is there keeps what it has (409).',
    access: { class: 'protected', resources: ofService },
    input: z
      .object({
        ...serviceIds,
        pullRequestNumber: z.number().int().min(1),
        commit: ruled(line(64), parseCommit).describe('Whole id of the commit that was read'),
        withVariables: z
          .boolean()
          .default(false)
          .describe('Gives this commit the variables and secrets of previews'),
      })
      .superRefine(requireOneService),
    example: {
      applicationId: 'V1StGXR8Z5jdHi6BmyT3k',
      pullRequestNumber: 12,
      commit: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
    },
    output: previewDeploymentRecord,
    refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  }),
  redeploy: mutation({
    summary: 'Queues a rebuild of a preview from the commit it shows',
    access: { ...own, action: 'deploy' },
    input: id.extend({
      title: line(200).default('Rebuild Preview Deployment'),
      description: z.string().max(2000).default(''),
    }),
    output: z.literal(true),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  killBuild: mutation({
    summary: 'Ends the running build of a preview; does nothing when nothing is being built',
    access: { ...own, action: 'deploy' },
    input: id,
    output: previewDeploymentRecord,
  }),
  start: mutation({
    summary: 'Starts a stopped preview',
    description: 'Waits until it is healthy, at most 60 s.',
    access: own,
    input: id,
    output: previewDeploymentRecord,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  stop: mutation({
    summary: 'Stops a preview; its volumes and its address stay',
    description: 'A new commit of its pull request starts it again.',
    access: own,
    input: id,
    output: previewDeploymentRecord,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  logs: subscription({
    summary: 'The output of a running preview as a live stream',
    access: own,
    input: id.extend({ tail: z.number().int().min(0).max(10_000).default(200) }),
    output: logEvent,
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
  delete: mutation({
    summary: 'Deletes a preview with its containers, volumes and domain',
    access: own,
    input: id,
    output: z.literal(true),
    refusals: ['SERVICE_UNAVAILABLE'],
  }),
};
