/** Settings of the installation (decisions 12). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { settingFields, settingShape } from './record-fields.ts';

const settings = z.object(settingShape).meta({ id: 'Settings' });
const ofOwner = Object.entries(settingFields)
  .filter(([, { by }]) => by === 'owner')
  .map(([name]) => name);

export const settingsContract = {
  get: query({
    summary: 'The settings of the installation',
    access: { class: 'installation', resources: [] },
    input: z.object({}),
    output: settings,
  }),
  builders: query({
    summary:
      'The programs besides Docker that build types need: which are installed, and how to install the others',
    description:
      'Each is run once, to read its version. The build types dockerfile and static need none; auto takes ' +
      "railpack, else nixpacks, where it is here and Berth's own builder does not know the source.",
    access: { class: 'installation', resources: [] },
    input: z.object(pageInput),
    output: listOf(
      z.object({
        name: z.string(),
        buildTypes: z.array(z.string()),
        version: z.string().nullable().describe('null: not installed, or it does not start'),
        problem: z.string().nullable(),
        install: z.string(),
      }),
    ),
  }),
  portWall: query({
    summary: "Whether containers are kept away from Berth's own port and the engine's on Berth's machine",
    description:
      'Set at start and checked every minute, with iptables or nftables; the proxy reaches Berth ' +
      'through a socket.',
    access: { class: 'installation', resources: [] },
    input: z.object({}),
    output: z.object({
      isSet: z.boolean(),
      problem: z.string().nullable().describe('Why there are no rules; null when there are'),
    }),
  }),
  update: mutation({
    summary: 'Changes settings; absent ones stay',
    description: `These need the Owner: ${ofOwner.join(', ')}.`,
    access: { class: 'installation', resources: [] },
    input: settings.partial(),
    output: settings,
  }),
};
