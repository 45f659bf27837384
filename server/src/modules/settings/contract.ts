/** Settings of the installation (decisions 12). */
import { z } from 'zod';
import { mutation, query } from '../../procedure/procedure.ts';
import { settingFields, settingShape } from './record-fields.ts';

const settings = z.object(settingShape).meta({ id: 'Settings' });
const ofOwner = Object.entries(settingFields)
  .filter(([, { by }]) => by === 'owner')
  .map(([name]) => name);

export const settingsContract = {
  get: query({
    summary: 'The settings of the installation',
    access: { class: 'admin', ofInstallation: true, resources: [] },
    input: z.object({}),
    output: settings,
  }),
  update: mutation({
    summary: 'Changes settings; absent ones stay',
    description: `These need the Owner: ${ofOwner.join(', ')}.`,
    access: { class: 'admin', ofInstallation: true, resources: [] },
    input: settings.partial(),
    output: settings,
  }),
};
