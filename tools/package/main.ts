/** `npm run package`: the packages that are published, below dist/. */
import { packageCommandLine } from './command-line.ts';

await packageCommandLine();
