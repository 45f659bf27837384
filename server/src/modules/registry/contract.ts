/** Image registries of an organization (decisions 12). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { registryRecord } from './record.ts';
import { line, name } from '../service/contract-fields.ts';

const id = z.object({ registryId: z.string().min(1) });
const registry = [{ kind: 'registry', field: 'registryId' }] as const;
const registryUrl = z
  .string()
  .max(255)
  .describe(
    "host[:port][/prefix], with or without https:// before it; empty for the engine's default registry",
  );
const username = line(255).min(1);
const password = z.string().min(1).max(10_000);
const imagePrefix = z.string().max(200).describe('Path below which images are pushed, such as team/apps');
const signInFields = ['registryUrl', 'username', 'password'] as const;

export const registryContract = {
  create: mutation({
    summary: 'Stores the address and sign-in of an image registry; the password is never shown again',
    access: { class: 'admin', resources: [] },
    input: z.object({ name, registryUrl, username, password, imagePrefix: imagePrefix.nullish() }),
    output: registryRecord,
  }),
  test: mutation({
    summary: "Signs in to a registry; 400 with the registry's own message when it refuses",
    description:
      'Either a stored registry by `registryId` alone, or `registryUrl`, `username` and `password`.',
    access: { class: 'admin', resources: registry },
    input: z
      .object({
        registryId: z.string().min(1).nullish(),
        registryUrl: registryUrl.nullish(),
        username: username.nullish(),
        password: password.nullish(),
      })
      .superRefine((input, context) => {
        for (const field of signInFields) {
          if (input.registryId && input[field] != null)
            context.addIssue({
              code: 'custom',
              path: [field],
              message: 'cannot be given together with registryId; the stored sign-in is tested',
            });
          if (!input.registryId && input[field] == null)
            context.addIssue({ code: 'custom', path: [field], message: 'is required without registryId' });
        }
      }),
    example: { registryUrl: 'registry.example.com', username: 'deploy', password: 'correct-horse-battery' },
    output: z.object({ success: z.literal(true) }),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  one: query({
    summary: 'One registry, without its password',
    access: { class: 'admin', resources: registry },
    input: id,
    output: registryRecord,
  }),
  all: query({
    summary: 'The registries of the organization, newest first',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(registryRecord),
  }),
  update: mutation({
    summary: 'Changes a registry; absent fields stay',
    description:
      'Another address needs the password again, so that the stored one never reaches a host it was not ' +
      'given for.',
    access: { class: 'admin', resources: registry },
    input: id.extend({
      name: name.optional(),
      registryUrl: registryUrl.optional(),
      username: username.optional(),
      password: password.optional(),
      imagePrefix: imagePrefix.nullish(),
    }),
    output: registryRecord,
  }),
  remove: mutation({
    summary: 'Removes a registry; refused while an application uses it',
    access: { class: 'admin', resources: registry },
    input: id,
    output: registryRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
};
