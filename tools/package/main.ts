/**
 * `npm run package [program|command-line|client]`, below dist/: the product as it runs (`npm run build` makes
 * it alone) and the packages that are published.
 */

// Imported late: where Berth is set up, what the published packages are made with is not installed.
const packages = new Map<string, () => Promise<void>>([
  ['program', async () => (await import('./program.ts')).packageProgram()],
  ['command-line', async () => (await import('./command-line.ts')).packageCommandLine()],
  ['client', async () => (await import('./client.ts')).packageClient()],
]);
const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : packages.keys()) {
  const write = packages.get(name);
  if (!write) throw new Error(`There is no package ${name}. There are: ${[...packages.keys()].join(', ')}.`);
  await write();
}
