/** One command of the command line: from the argument vector to the exit code. */
import { BerthError } from '../client/berth-error.ts';
import { procedureKinds } from '../client/procedure-kinds.ts';
import { addressOf, schemeHint } from './connection/address.ts';
import { AppError } from '../server/src/domain/errors.ts';
import { didYouMean } from '../server/src/domain/text/closest.ts';
import { exitCodes } from './exit-codes.ts';
import { readFlags, type Flags } from './flags.ts';
import { furtherHelp, generalHelp, routersHelp, wordHelp } from './help.ts';
import { loginCommands } from './login.ts';
import { sentence } from './output/wrap.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';
import { readArguments } from './words/parts/arguments.ts';
import { contextOf } from './words/parts/context.ts';
import { words } from './words/words.ts';
import type { Word } from './words/parts/word.ts';

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    if (terminal.signal.aborted) return exitCodes.interrupted;
    // A refusal of the rules that this program and Berth have in common is one of what was typed here.
    const isUsage = error instanceof UsageError || error instanceof AppError;
    if (!isUsage && !(error instanceof BerthError)) return ofThisMachine(error, terminal);
    terminal.say(`${sentence(error.message, terminal)}\n`);
    if (isUsage) return exitCodes.wrongUsage;
    // The sentence itself tells the first.
    for (const { path, message } of error.issues.slice(1))
      terminal.say(`${sentence(`  ${path}: ${message}`, terminal)}\n`);
    if (error.code === 'UNREACHABLE') terminal.say(schemeHint(terminal, argv));
    return error.code === 'UNREACHABLE' ? exitCodes.unreachable : exitCodes.refused;
  }
}

/** A file that may not be written, a full disk; a fault of this program is thrown again. */
function ofThisMachine(error: unknown, terminal: Terminal): number {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
  const what = error.message.replace(/^[A-Z0-9]+: /, '');
  terminal.say(`${sentence(`This machine refused it: ${what}.`, terminal)}\n`);
  return exitCodes.refused;
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [first, second, ...rest] = argv;
  if (first === undefined || first === '-h' || first === '--help') return answer(terminal, generalHelp());
  if (['--version', '-V', '-v', 'version'].includes(first)) return answer(terminal, `${version}\n`);
  if (first === 'help') return help(argv.slice(1), terminal);
  if (first === 'api') {
    if (second === undefined || second === '--help' || second === '-h')
      return answer(terminal, routersHelp());
    return procedure(second, rest, terminal);
  }
  const login = loginCommands.get(first);
  if (login) {
    if (second === '-h' || argv.includes('--help')) return help([first], terminal);
    const flags = readFlags(argv.slice(1));
    refuseWords(flags);
    await login(flags, terminal);
    return exitCodes.done;
  }
  const found = wordOf(argv);
  if (found) return runWord(found.word, found.rest, terminal);
  if (first.startsWith('-'))
    throw new UsageError(`"${first}" must come after a command. \`berth help\` lists the commands.`);
  if (second === undefined) sayWordsBeside(first, terminal);
  return procedure(first, argv.slice(1), terminal);
}

/** A router may be called like words of two parts, which a person is more likely to mean. */
function sayWordsBeside(first: string, terminal: Terminal): void {
  const inner = wordsBehind(first);
  if (inner.length > 0)
    terminal.say(
      `${sentence(`Commands: ${inner.join(', ')}. Below are the procedures of the interface.`, terminal)}\n`,
    );
}

const wordsBehind = (first: string): string[] =>
  words.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name] : []));

/** A word of more parts goes before one of fewer: `env set` before `env`. */
function wordOf(argv: readonly string[]): { word: Word; rest: readonly string[] } | undefined {
  for (const parts of [3, 2, 1]) {
    const name = argv.slice(0, parts).join(' ');
    const word = words.find((one) => one.name === name);
    if (word && argv.length >= parts) return { word, rest: argv.slice(parts) };
  }
  const [first = '', second] = argv;
  const inner = wordsBehind(first);
  // A router of that name stays reachable.
  if (inner.length === 0 || first in procedureKinds) return undefined;
  if (second === undefined || second.startsWith('-'))
    throw new UsageError(`\`berth ${first}\` needs one more word: ${inner.join(', ')}.`);
  throw new UsageError(
    `There is no \`berth ${first} ${second}\`.${didYouMean(`${first} ${second}`, inner)} ` +
      `There are: ${inner.join(', ')}.`,
  );
}

async function runWord(word: Word, argv: readonly string[], terminal: Terminal): Promise<number> {
  const given = readArguments(word, argv);
  if (given.options['help'] === true) return answer(terminal, wordHelp(word));
  const { url, key } = given.options;
  const environment = {
    ...terminal.environment,
    ...(typeof url === 'string' ? { BERTH_URL: addressOf(url, '--url') } : {}),
    ...(typeof key === 'string' ? { BERTH_API_KEY: key } : {}),
  };
  const code = await word.run(contextOf(given, { ...terminal, environment }));
  return code ?? exitCodes.done;
}

async function procedure(name: string, argv: readonly string[], terminal: Terminal): Promise<number> {
  const known = procedureNames();
  if (!known.has(name)) {
    const all = [...words.map((word) => word.name), ...loginCommands.keys(), 'help', 'api', ...known];
    const what = name.includes('.') ? name : `command ${name === '' ? '""' : name}`;
    throw new UsageError(
      `There is no ${what}.${didYouMean(name, all)} \`berth help\` lists the commands, \`berth api\` the ` +
        'routers of the interface.',
    );
  }
  const flags = readFlags(argv);
  refuseWords(flags);
  const { runProcedure } = await import('./api/api.ts');
  return runProcedure(name, flags, terminal);
}

/** Routers and their procedures. */
function procedureNames(): Set<string> {
  const routers = Object.entries(procedureKinds);
  return new Set(
    routers.flatMap(([router, kinds]) => [router, ...Object.keys(kinds).map((name) => `${router}.${name}`)]),
  );
}

function refuseWords({ words: [extra] }: Flags): void {
  if (extra !== undefined)
    throw new UsageError(`"${extra}" does not belong to an option. Write options as --field value.`);
}

function help(names: readonly string[], terminal: Terminal): Promise<number> | number {
  const [first] = names;
  if (first === undefined) return answer(terminal, generalHelp());
  if (first === 'api') return answer(terminal, routersHelp());
  const name = names.join(' ');
  const own = furtherHelp(name);
  if (own !== undefined) return answer(terminal, own);
  const meant = words.filter((word) => word.name === name || word.name.startsWith(`${name} `));
  if (meant.length > 0) return answer(terminal, meant.map(wordHelp).join('\n'));
  return procedure(first, ['--help'], terminal);
}

function answer(terminal: Terminal, text: string): number {
  terminal.out(text);
  return exitCodes.done;
}
