/** Compose files of well-known applications, each of which can become a compose service. */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { id } from '../service/contract-fields.ts';
import {
  createdFromTemplate,
  newFromTemplate,
  templateName,
  templateRecord,
  wholeTemplate,
} from './record.ts';
import { applyTemplate, templateChanges, templateUpdate } from './record-update.ts';

const ofCatalogue = [{ kind: 'templateCatalogue', field: 'templateCatalogueId' }] as const;
const service = { kind: 'compose', field: 'composeId' } as const;

export const templateContract = {
  all: query({
    summary: "The templates of this version of Berth, by name, and those of the organization's catalogues",
    access: { class: 'protected', resources: [] },
    input: z.object(pageInput),
    output: listOf(templateRecord),
  }),
  one: query({
    summary: 'One template with its compose file and variables',
    description: 'template.create makes a compose service of it.',
    access: { class: 'protected', resources: ofCatalogue },
    input: z.object({
      name: templateName,
      templateCatalogueId: id.optional().describe("Catalogue that it is of; absent: one of Berth's own"),
    }),
    example: { name: 'uptime-kuma' },
    output: wholeTemplate,
    refusals: ['NOT_FOUND'],
  }),
  create: mutation({
    summary: 'Makes a compose service of a template and deploys it',
    description:
      'One change: the service with the file of the template and the files beside it, its variables (each ' +
      'with the value given, that of the template, or one generated), the domains that lead to it, and its ' +
      'first deployment. When one of them is refused, nothing is made.',
    access: {
      class: 'protected',
      decidesHostReach: true,
      resources: [
        { kind: 'environment', field: 'environmentId' },
        { kind: 'server', field: 'serverId' },
        ...ofCatalogue,
      ],
      grant: 'canCreateServices',
    },
    input: newFromTemplate,
    example: { template: 'uptime-kuma', environmentId: 'V1StGXR8Z5jdHi6BmyT3k', host: 'status.example.com' },
    output: createdFromTemplate,
    refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  updates: query({
    summary: 'Compose services made of a template of which Berth or its catalogue has a newer one',
    access: { class: 'protected', resources: [] },
    input: z.object(pageInput),
    output: listOf(templateUpdate),
  }),
  changes: query({
    summary: 'What the newer template changes in a compose service; null where there is none',
    description:
      'Compares the file that the service was made with, its file now, and that of the newer template. ' +
      'Nothing is changed.',
    access: { class: 'protected', resources: [service] },
    input: z.object({ composeId: id }),
    output: templateChanges.nullable(),
  }),
  apply: mutation({
    summary: 'Brings a compose service to the newer form of its template; it takes effect at its next deploy',
    description:
      'Its variables keep their values, new ones get the value given, that of the template or one ' +
      'generated; files beside it that were edited stay. A compose file that was edited is refused with ' +
      '409 unless edits says what becomes of it. What the file asks of the server itself is approved as ' +
      'with compose.update. Answers what it changed.',
    access: { class: 'protected', decidesHostReach: true, resources: [service] },
    input: applyTemplate,
    output: templateChanges,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  }),
};
