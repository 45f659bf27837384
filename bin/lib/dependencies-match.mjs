// Exit code 0 when node_modules holds what package-lock.json says; development packages may lack with
// --omit=dev, and Node.js 24 with --without-node.
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , root = '.', omit] = process.argv;

/** npm writes what it installed into node_modules; optional packages are for some machines only. */
function installedAsLocked() {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages;
  if (omit !== '--without-node')
    accessSync(join(root, `node_modules/node-linux-${process.arch}/bin/node`), constants.X_OK);
  return Object.entries(wanted).every(([path, facts]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found === undefined)
      return (
        facts.optional === true || facts.devOptional === true || (omit === '--omit=dev' && facts.dev === true)
      );
    return found.version === facts.version && found.integrity === facts.integrity;
  });
}

try {
  process.exitCode = installedAsLocked() ? 0 : 1;
} catch {
  // A file is missing or unreadable: it does not match, and npm ci makes it so.
  process.exitCode = 1;
}
