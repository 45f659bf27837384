/** Deployments (decisions 5). */
import { z } from 'zod';
import { deployedKinds, idFields } from '../../domain/names/service-ref.ts';
import { logEvent, positionedLine } from '../../procedure/log-event.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { deploymentRecord, writtenBuild } from './record.ts';

const id = z.object({ deploymentId: z.string().min(1).max(100) });
const serviceId = z.string().min(1).max(100).optional();
const owners = {
  applicationId: serviceId,
  databaseId: serviceId,
  composeId: serviceId,
  previewDeploymentId: serviceId,
};

type OwnerInput = { [F in keyof typeof owners]?: string | undefined };

function checkOwner(input: OwnerInput, context: z.RefinementCtx): void {
  if (deployedKinds.every((kind) => input[idFields[kind]] === undefined))
    context.addIssue({
      code: 'custom',
      path: ['applicationId'],
      message: 'is required, or databaseId, or composeId, or previewDeploymentId',
    });
  checkOneOwner(input, context);
}

function checkOneOwner(input: OwnerInput, context: z.RefinementCtx): void {
  const [first, ...others] = deployedKinds
    .map((kind) => idFields[kind])
    .filter((field) => input[field] !== undefined);
  for (const field of others)
    context.addIssue({
      code: 'custom',
      path: [field],
      message: `names another service beside ${first ?? ''}; name one`,
    });
}

/** Position of a line in its log: that after its end. */
const position = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const own = { class: 'protected', resources: [{ kind: 'deployment', field: 'deploymentId' }] } as const;

export const deploymentContract = {
  all: query({
    summary: 'Deployments, newest first: of one service, or of everything that you reach',
    description:
      'A service is named by one of `applicationId`, `databaseId` (of whatever kind), `composeId` and ' +
      '`previewDeploymentId`. Without one: those of every service, queued, running and ended; the newest ' +
      '100 where no limit is given.',
    access: { class: 'protected', resources: deployedKinds.map((kind) => ({ kind, field: idFields[kind] })) },
    input: z.object({ ...owners, ...pageInput }).superRefine(checkOneOwner),
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: listOf(deploymentRecord),
  }),
  latest: query({
    summary: 'The newest deployment of a service, whatever its outcome; null before the first',
    description: 'The service is named as in deployment.all.',
    access: { class: 'protected', resources: deployedKinds.map((kind) => ({ kind, field: idFields[kind] })) },
    input: z.object(owners).superRefine(checkOwner),
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: deploymentRecord.nullable(),
  }),
  one: query({ summary: 'One deployment', access: own, input: id, output: deploymentRecord }),
  dockerfile: query({
    summary: "The Dockerfile that Berth's own builder wrote for a deployment; null if it wrote none",
    description:
      'For sources without a Dockerfile. `berth eject` writes the same into a folder, to be changed there.',
    access: own,
    input: id,
    output: writtenBuild.nullable(),
  }),
  changes: query({
    summary: 'What a deployment changed compared with the release before it',
    description:
      'Compared with the newest earlier deployment of the service that became healthy. `changed` names ' +
      'what differs as `pendingChanges` does: fields, `mounts`, `ports`, `registry`, and for variables ' +
      'the field of their block with `<field>.<NAME>` for each; never a value. It is null if nothing was ' +
      'released: for one that failed before its release or has not got that far, and for the first one.',
    access: own,
    input: id,
    output: z.object({
      since: z
        .object({ deploymentId: z.string(), title: z.string(), createdAt: z.string() })
        .nullable()
        .describe('What it is compared with; null for the first'),
      commit: z.string().nullable(),
      formerCommit: z.string().nullable().describe('Of the earlier one'),
      changed: z.array(z.string()).nullable(),
    }),
  }),
  readLogs: query({
    summary: 'The log of a deployment',
    description:
      'Its newest lines up to the setting logAnswerLimit; a first line says when there are more. `logs` ' +
      'gives all of them. A log itself is kept up to the setting logLimit: its beginning and its end, with ' +
      'a line between them that says how much is left out.',
    access: own,
    input: id.extend({
      tail: z.number().int().min(1).max(100_000).optional().describe('Only the last lines'),
    }),
    output: z.array(z.string()),
  }),
  logLines: query({
    summary: 'Lines of the log of a deployment by position: after one, before one, or with a text',
    description:
      'Without `from` and `before`: the newest. Lines are in the order of the log either way, each with ' +
      'its position. Whatever `limit` is, one answer searches at most 8 MiB of the log; `next` is where ' +
      'to continue, as `from` or `before`, whichever was given, even if no line has been found so far. In ' +
      'a log that is still being written, continue from the position of the last line.',
    access: own,
    input: id
      .extend({
        from: position.describe('Lines after this position').optional(),
        before: position.describe('Lines before this position').optional(),
        search: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe('Only lines that contain this text, ignoring case'),
        limit: z.number().int().min(1).max(5000).default(500).describe('Maximum number of lines'),
      })
      .superRefine(({ from, before }, context) => {
        if (from !== undefined && before !== undefined)
          context.addIssue({
            code: 'custom',
            path: ['before'],
            message: 'cannot be given together with from; a log is read in one direction at a time',
          });
      }),
    output: z.object({
      lines: z.array(positionedLine),
      next: z.number().int().nullable().describe('Null when there is nothing further in that direction'),
    }),
  }),
  logs: subscription({
    summary: 'The log of a deployment as a live stream that can be resumed',
    description:
      '`GET /api/deployments/<deploymentId>/log` returns everything written so far as plain text, with ' +
      'the same rights.',
    access: own,
    input: id,
    output: logEvent,
  }),
  rollback: mutation({
    summary: 'Releases an earlier deployment again: its image with the settings it had',
    description:
      'For a compose service, all of its services as they were, whatever its file says now; those that ' +
      'run once do not run again, nor do pre-release commands. Databases can only go back by restoring a ' +
      'backup.',
    access: { ...own, action: 'deploy' },
    input: id,
    output: deploymentRecord,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
