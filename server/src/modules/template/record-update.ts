/** What a newer template changes in a compose service that was made of it. */
import { z } from 'zod';
import { secretText } from '../../procedure/secret-fields.ts';
import { givenRevision, id } from '../service/contract-fields.ts';

const image = z.object({
  service: z.string().describe('Service of the compose file'),
  from: z.string().nullable().describe('Image of the template as it was; null: the service is new'),
  to: z.string().nullable().describe('Image of the newer template; null: the service is no longer in it'),
});

export const templateUpdate = z
  .object({
    composeId: z.string(),
    name: z.string(),
    template: z.string().describe('Name of the template'),
    title: z.string().describe('Title of the template'),
    images: z.array(image).describe('Images that change'),
  })
  .meta({ id: 'TemplateUpdate' });

export const templateChanges = templateUpdate
  .extend({
    revision: z.number().describe('Revision of the compose service that was compared'),
    isEdited: z.boolean().describe('Whether the compose file was edited after it came from the template'),
    conflicts: z
      .array(z.object({ own: secretText('Lines of the service'), template: z.string() }))
      .describe('Places that edits and template changed differently'),
    variables: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          change: z.enum(['added', 'removed']).describe('removed: the template no longer has it; it stays'),
          isRequired: z.boolean().describe('Whether template.apply has to be given a value'),
          isSecret: z.boolean().describe('Whether a form hides what is typed'),
        }),
      )
      .describe('Variables that the template got or lost'),
    files: z
      .array(
        z.object({
          path: z.string(),
          change: z
            .enum(['added', 'changed', 'kept'])
            .describe('kept: the template changed it, but it was edited or removed here, so it stays'),
        }),
      )
      .describe('Files beside the compose file'),
    notes: z.array(z.string()).describe('To be known before it is applied'),
    difference: secretText('Lines of the compose file that change, with edits merged, as `diff -u` has them'),
    replacement: secretText('The same where edits are dropped'),
  })
  .meta({ id: 'TemplateChanges' });

export const applyTemplate = z.object({
  composeId: id,
  revision: givenRevision,
  edits: z
    .enum(['merge', 'replace', 'keep'])
    .optional()
    .describe(
      'What becomes of an edited compose file. merge: edits and template together; replace: the file of ' +
        'the template; keep: the file stays, and this version of the template is not offered again',
    ),
  variables: z
    .record(z.string().max(100), z.string().max(10_000))
    .default({})
    .meta({ description: 'Values of variables that are new', examples: [{ ADMIN_USER: 'nina' }] }),
});

export type TemplateChanges = z.infer<typeof templateChanges>;
export type TemplateUpdate = z.infer<typeof templateUpdate>;
