/** `npm run package [command-line|client]`: the packages that are published, below dist/. */
import { packageClient } from './client.ts';
import { packageCommandLine } from './command-line.ts';

const packages = new Map<string, () => Promise<void>>([
  ['command-line', packageCommandLine],
  ['client', packageClient],
]);
const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : packages.keys()) {
  const write = packages.get(name);
  if (!write) throw new Error(`There is no package ${name}. There are: ${[...packages.keys()].join(', ')}.`);
  await write();
}
