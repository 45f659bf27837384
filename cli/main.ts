/** The `berth` program; started by bin/berth. */
import { run } from './run.ts';
import { ownTerminal } from './terminal.ts';

process.exitCode = await run(process.argv.slice(2), ownTerminal());
