import type { Step } from '../context.ts';
import { restoreInstallation } from '../restore/restore-installation.ts';

/** Before anything else is made: whatever is wrong with the file or the passphrase shows at once. */
export const restoreStep: Step = {
  title: 'Backup of Berth',
  applies: ({ flags }) => flags.restore !== undefined,
  run: (context) => restoreInstallation(context, context.flags.restore ?? ''),
};
