/** The program of `bin/berth reset-password`: sets a forgotten password anew, on Berth's own machine. */
import { ownTerminal } from '../../cli/terminal.ts';
import { runReset } from './commands/reset-password.ts';

process.exitCode = await runReset(process.argv.slice(2), ownTerminal());
