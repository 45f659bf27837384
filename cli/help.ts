/** Help, made from the table of words. */
import { procedureKinds } from '../client/procedure-kinds.ts';
import { commonOptions, type Option, type Options, type Word } from './words/word.ts';
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

const url: Option = { value: 'URL', description: 'address of Berth' };
const email: Option = { value: 'EMAIL', description: 'address of the account' };
const token: Option = { value: 'TOKEN', description: 'of an invitation, which the account joins with' };

/** What stands in the list by hand, since it is no row of the table; the same shape, for the same page. */
const further: readonly Pick<Word, 'name' | 'usage' | 'summary' | 'description' | 'options'>[] = [
  {
    name: 'sign-up',
    usage: '--url URL --email EMAIL --name NAME',
    summary: 'makes an account and signs in',
    description:
      'Makes an account and signs in to it. Asks for a new password; in a pipe it is the first line of the ' +
      'standard input. The first account owns the installation; from another machine it needs the token ' +
      'that `bin/up` printed; everybody else needs the token of an invitation.',
    options: {
      url,
      email,
      name: { value: 'NAME', description: 'how others see who it is' },
      token: { value: 'TOKEN', description: 'that `bin/up` printed, or of an invitation' },
    },
  },
  {
    name: 'login',
    usage: '--url URL [--email EMAIL]',
    summary: 'signs in',
    description:
      'Signs in and keeps an API key in ~/.config/berth/config.json. With --email it asks for the ' +
      'password, and for the code of the second factor where the account has one; without it, for an ' +
      'API key. In a pipe it is the first line of the standard input.',
    options: { url, email, token },
  },
  {
    name: 'logout',
    usage: '',
    summary: 'signs out',
    description: 'Signs out: the key that signing in made is deleted, here and in Berth.',
  },
  {
    name: 'reset-password',
    usage: '--email EMAIL [--remove-two-factor]',
    summary: 'sets a forgotten password anew',
    description:
      "Sets a forgotten password anew: on Berth's own machine, as root, whether Berth runs or not. All " +
      'sessions of that person end; API keys go on.',
    options: {
      email,
      'remove-two-factor': { description: 'takes two-factor sign-in away, for a lost app' },
    },
  },
];

/** Help of one of the words that are in no table; undefined when it is none of them. */
export function furtherHelp(name: string): string | undefined {
  const one = further.find((row) => row.name === name);
  return one && pageOf(one, { ...one.options, help: commonOptions.help });
}

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
  const calls = word.calls.length === 0 ? '' : `\nCalls ${[...new Set(word.calls)].join(', ')}.\n`;
  return `${pageOf(word, { ...word.options, ...commonOptions })}${calls}`;
}

function pageOf(word: Pick<Word, 'name' | 'usage' | 'summary' | 'description'>, all: Options): string {
  const options = Object.entries(all);
  const width = Math.max(...options.map(([name, option]) => flagOf(name, option).length)) + 2;
  const lines = options.map(
    ([name, option]) => `  ${flagOf(name, option).padEnd(width)}${option.description}\n`,
  );
  const usage = ['berth', word.name, ...(word.usage === '' ? [] : [word.usage])].join(' ');
  return `${usage}\n\n${word.description ?? `${word.summary}.`}\n\n${lines.join('')}`;
}

function flagOf(name: string, { short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}
