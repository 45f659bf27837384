/** Help, made from the table of words. */
import { procedureKinds } from '../client/procedure-kinds.ts';
import { commonOptions, type Option, type Word } from './words/word.ts';
import { groups, words } from './words/words.ts';

const intro = `Berth from the command line.

`;

const outro = `
  sign-up, login, logout       the account: --url URL --email E [--name N] [--token T]; asks for the password
  reset-password               on Berth's own machine, as root: --email E sets a forgotten password anew
  api <router>.<procedure>     any procedure of the interface, its answer as JSON; \`berth api\` lists routers
  help <word>, -h, --version

A service is named project/service, or project/environment/service where a name stands in several
environments; its name alone where there is one of it; nothing at all in a folder that was deployed or
linked. Answers are tables on a terminal and JSON in a pipe; --json and --table choose. NO_COLOR and COLUMNS
are heeded.

Address and key: --url and --key, else BERTH_URL and BERTH_API_KEY, else what login stored in
~/.config/berth/config.json.
Exit codes: 0 done; 1 refused, or a deployment that failed; 2 wrong usage; 3 Berth cannot be reached;
130 interrupted; of run the program's own.
`;

export function generalHelp(): string {
  const width = Math.max(...words.filter(({ hidden }) => !hidden).map(({ name }) => name.length)) + 2;
  const lists = groups.map(({ title, words: own }) => {
    const lines = own
      .filter(({ hidden }) => !hidden)
      .map(({ name, summary }) => `  ${name.padEnd(width)} ${summary}\n`);
    return `${title}\n${lines.join('')}`;
  });
  return `${intro}${lists.join('\n')}\nFurther\n${outro.trimStart().replace(/^/, '  ')}`;
}

/** What `berth api` shows; the routers come from a list without schemas. */
export function routersHelp(): string {
  return `Every procedure of the interface is a command.

  berth api <router>.<procedure> --field value …     calls it and prints the answer as JSON
  berth api <router>                                 its procedures
  berth api <router>.<procedure> --help              its fields

Values: a field more than once makes a list; lists and objects may be JSON; a bare --field is true,
--no-field is false or null; @file is the file's content where there is such a file (@./file and @/file
always), @- the standard input, and @@text a text that begins with @.
--input '{…}' gives the whole input. --follow keeps a stream open. --file PATH is what an upload sends,
--file - what comes through a pipe. A command may be one quoted text or a field for each word.
\`api\` may be left out.

Routers: ${Object.keys(procedureKinds).join(', ')}
`;
}

export function wordHelp(word: Word): string {
  const options = Object.entries({ ...word.options, ...commonOptions });
  const width = Math.max(...options.map(([name, option]) => flagOf(name, option).length)) + 2;
  const lines = options.map(
    ([name, option]) => `  ${flagOf(name, option).padEnd(width)}${option.description}\n`,
  );
  const calls = word.calls.length === 0 ? '' : `\nCalls ${word.calls.join(', ')}.\n`;
  const usage = ['berth', word.name, ...(word.usage === '' ? [] : [word.usage])].join(' ');
  return `${usage}\n\n${word.description ?? `${word.summary}.`}\n\n${lines.join('')}${calls}`;
}

function flagOf(name: string, { short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}
