/**
 * An `import` of a built-in module has Node.js read each of its exports, also those that it makes only when
 * somebody asks: `node:http` has three that load undici (WebSocket and its events), `node:crypto` has Web
 * Crypto. Nothing of ours uses them, and they are 11 MB of memory. What this plugin names is taken from
 * Node.js as it is, without them.
 */
import { getBuiltinModule } from 'node:process';
import type { Plugin } from 'rolldown';
import { builtInName } from './late-built-ins.ts';

const bare: readonly string[] = ['node:crypto', 'node:http'];

const prefix = '\0bare:';

export function bareBuiltIns(): Plugin {
  return {
    name: 'bare built-ins',
    resolveId(source, _importer, { kind }) {
      const name = builtInName(source);
      // What CommonJS requires is the module itself already.
      return kind === 'import-statement' && bare.includes(name) ? `${prefix}${name}` : null;
    },
    load: (id) => (id.startsWith(prefix) ? bareModule(id.slice(prefix.length)) : null),
  };
}

function bareModule(name: string): string {
  const members = Object.entries(Object.getOwnPropertyDescriptors(getBuiltinModule(name) ?? {}));
  const names = members.filter(([, { get }]) => get === undefined).map(([key]) => key);
  return [
    `const module = process.getBuiltinModule(${JSON.stringify(name)});`,
    'export default module;',
    `export const { ${names.join(', ')} } = module;`,
  ].join('\n');
}
