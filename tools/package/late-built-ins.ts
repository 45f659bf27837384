/**
 * A bundle of one file loads every built-in module of Node.js that any of its parts imports before its first
 * line. What this plugin names is loaded by the first call of one of its functions instead.
 */
import { getBuiltinModule } from 'node:process';
import type { Plugin } from 'rolldown';

/** Those that cost something and are only called, never extended. A bare start of Node.js has the others. */
export const late = [
  'node:child_process',
  'node:crypto',
  'node:http',
  'node:https',
  'node:net',
  'node:readline/promises',
  'node:stream/consumers',
  'node:stream/promises',
  'node:timers/promises',
  'node:zlib',
] as const;

/** The name of a built-in module as Node.js has it, whichever of its two names an import says. */
export const builtInName = (source: string): string =>
  source.startsWith('node:') ? source : `node:${source}`;

const prefix = '\0late:';

export function lateBuiltIns(names: readonly string[] = late): Plugin {
  return {
    name: 'late built-ins',
    resolveId(source) {
      const name = builtInName(source);
      // The import within it goes on to Node.js itself.
      return names.includes(name) ? `${prefix}${name}` : null;
    },
    load(id) {
      return id.startsWith(prefix) ? lateModule(id.slice(prefix.length)) : null;
    },
  };
}

/**
 * Its functions and classes, each fetched where it is called or made. A constant is missing here, so that a
 * bundle that needs one fails to be made; nothing may extend such a class or ask for an instance of it.
 */
function lateModule(name: string): string {
  const members = Object.entries(getBuiltinModule(name) ?? {}).filter(
    ([key, value]) => key !== 'default' && typeof value === 'function',
  );
  return [
    "import { createRequire } from 'node:module';",
    'let module;',
    `const load = () => (module ??= createRequire(import.meta.url)(${JSON.stringify(name)}));`,
    ...members.map(([key, value]) => {
      const used = isClass(value) ? `new (load().${key})` : `load().${key}`;
      return `export function ${key}(...given) { return ${used}(...given); }`;
    }),
  ].join('\n');
}

function isClass(value: unknown): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value));
}
