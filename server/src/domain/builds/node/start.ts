/** How a Node.js application starts, from its scripts, its framework and its files. */
import { isDevelopment, type NodeApp, type Served } from './frameworks.ts';
import { execForm, wordsOf } from '../start-command.ts';

/** Files that are started where nothing else says what to start. */
const mainFiles = [
  'server',
  'index',
  'app',
  'main',
  'src/index',
  'src/server',
  'src/app',
  'src/main',
].flatMap((name) => ['js', 'mjs', 'cjs', 'ts'].map((end) => `${name}.${end}`));

export interface NodeStart {
  command: readonly string[];
  /** As its author wrote it, with what runs before and after, for ports and programs that stand in it. */
  text: string;
  /** The script that npm would run before it, which builds where there is no build script. */
  before?: string;
}

/** The start of a program; undefined where nothing says how. */
export function startOf(
  app: NodeApp,
  { web, main, served }: { web: string | undefined; main: string | undefined; served: Served | undefined },
): NodeStart | undefined {
  if (web !== undefined) return { command: execForm(web), text: web };
  const usual = served?.kind === 'program' ? served : undefined;
  if (usual?.only) return { command: usual.command, text: usual.command.join(' ') };
  if (served?.kind === 'static' && served.certain) return undefined;
  const script = startScriptOf(app.scripts);
  if (script !== undefined) return scriptStart(app.scripts, script);
  if (usual) return { command: usual.command, text: usual.command.join(' ') };
  // A page's script is called index.js as well.
  if (served?.kind === 'static') return undefined;
  const file = [...(main === undefined ? [] : [main.replace(/^\.\//, '')]), ...mainFiles].find((path) =>
    app.folder.has(path),
  );
  return file === undefined ? undefined : { command: ['node', file], text: `node ${file}` };
}

/** The script that starts what was built; none that serves while somebody develops. */
export const startScriptOf = (scripts: NodeApp['scripts']): string | undefined =>
  ['start:prod', 'start'].find((name) => isStart(scripts[name]));

const isStart = (script: string | undefined): boolean => script !== undefined && !isDevelopment(script);

/** The command of a script itself, where npm would only stand between it and the engine's signals. */
function scriptStart(scripts: Readonly<Record<string, string>>, name: string, depth = 0): NodeStart {
  const text = (scripts[name] ?? '').replace(/^(?:cross-env )?NODE_ENV=production /, '').trim();
  const other = /^(?:npm run|yarn run|yarn|pnpm run|pnpm|bun run) ([\w:.-]+)$/.exec(text)?.[1];
  if (other !== undefined && scripts[other] !== undefined && depth < 5)
    return scriptStart(scripts, other, depth + 1);
  const words = wordsOf(text.replace(/^npx /, ''));
  const [before, after] = [`pre${name}`, `post${name}`];
  const isPlain = words !== undefined && !/^(?:npm|yarn|pnpm)$/.test(words[0] ?? '');
  const isBuilt = scripts[before] !== undefined && scripts['build'] === undefined;
  if (isBuilt && isPlain && scripts[after] === undefined) return { command: words, text, before };
  const isAlone = scripts[before] === undefined && scripts[after] === undefined;
  const whole = [scripts[before], text, scripts[after]].filter((one) => one !== undefined);
  return { command: isAlone && isPlain ? words : ['npm', 'run', name], text: whole.join('\n') };
}
