/** Catalogues of templates that an organization adds to those of Berth. */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { line, name } from '../service/contract-fields.ts';
import { templateCatalogueRecord } from './record.ts';

const id = z.object({ templateCatalogueId: z.string().min(1) });
const own = [{ kind: 'templateCatalogue', field: 'templateCatalogueId' }] as const;

const url = line(2000)
  .min(1)
  .describe(
    'Address of a git repository (https), or a folder of the setting localRepositoryPaths. A user and ' +
      'password in it are refused: give username and password',
  );
const branch = line(255).describe('Branch or tag; empty: the default branch');
const folder = line(500).describe(
  'Folder of the repository that is read, such as blueprints; empty: all of it',
);
const username = line(255).describe('Signs in to the repository; empty: nobody does');
const password = z.string().max(10_000).describe('Password or token; never shown again');
const readRefusals = ['CONFLICT', 'NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;

export const templateCatalogueContract = {
  all: query({
    summary: 'The catalogues of templates of the organization, newest first',
    access: { class: 'protected', resources: [] },
    input: z.object(pageInput),
    output: listOf(templateCatalogueRecord),
  }),
  one: query({
    summary: 'One catalogue of templates, with what was left out of it',
    access: { class: 'protected', resources: own },
    input: id,
    output: templateCatalogueRecord,
  }),
  create: mutation({
    summary: 'Reads a catalogue of templates and adds it; template.all lists its templates from then on',
    description:
      'In the format of Berth, or of Dokploy, Coolify or CapRover, which is found out. Each template that ' +
      'a deployment would refuse is left out with the reason. It is read again every day, and services ' +
      'made of its templates are told of newer ones (template.updates).',
    access: { class: 'admin', resources: [] },
    input: z.object({
      name,
      url,
      branch: branch.default(''),
      folder: folder.default(''),
      username: username.nullish(),
      password: password.nullish(),
    }),
    example: { name: 'Ours', url: 'https://git.example.com/acme/templates.git' },
    output: templateCatalogueRecord,
    refusals: readRefusals,
  }),
  update: mutation({
    summary: 'Changes where a catalogue is read from, or its name; absent fields stay',
    description:
      'Another address needs the password again, so that the stored one never reaches a host it was not ' +
      'given for. Its templates stay until it is read again: templateCatalogue.refresh.',
    access: { class: 'admin', resources: own },
    input: id.extend({
      name: name.optional(),
      url: url.optional(),
      branch: branch.optional(),
      folder: folder.optional(),
      username: username.nullish(),
      password: password.nullish(),
    }),
    output: templateCatalogueRecord,
  }),
  refresh: mutation({
    summary: 'Reads a catalogue again',
    description: 'When it cannot be read, its templates stay as they were, and lastError says why.',
    access: { class: 'admin', resources: own },
    input: id,
    output: templateCatalogueRecord,
    refusals: readRefusals,
  }),
  remove: mutation({
    summary: 'Removes a catalogue; services made of its templates stay and are no longer told of newer ones',
    access: { class: 'admin', resources: own },
    input: id,
    output: templateCatalogueRecord,
  }),
};
