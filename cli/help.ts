/** Help, made from the table of words. */
import { procedureKinds } from '../client/procedure-kinds.ts';
import { commonOptions, type Option, type Options, type Word } from './words/parts/word.ts';
import { capitalized, wrapped } from './output/wrap.ts';
import { groups, words } from './words/words.ts';

const intro = `berth: deploy to a Berth server and look after what runs there.

`;

/** What is no row of the table of words. */
const beside: readonly (readonly [string, string])[] = [
  ['sign-up', 'creates an account and signs in'],
  ['login', 'signs in'],
  ['logout', 'signs out'],
  ['reset-password', 'sets a new password for an account; on the machine Berth runs on, as root'],
  ['api', "calls any procedure of Berth's interface: berth api <router>.<procedure>"],
  ['help', 'shows the help of a command: berth help <command>'],
  ['--version', 'shows the version'],
];

const outro = [
  'Services: write project/service, or project/environment/service if the service is not in the ' +
    "default environment. The service's name is enough if only one service has it. In a folder that was " +
    'deployed or linked, leave the name out.',
  'Output: tables on a terminal, JSON in a pipe; --json and --table override this. The environment ' +
    'variables NO_COLOR and COLUMNS are respected.',
  'Server and API key: taken from --url and --key, then from BERTH_URL and BERTH_API_KEY, then from ' +
    'the sign-in that `berth login` stored in ~/.config/berth/config.json.',
  'Exit codes: 0 success; 1 refused by Berth, or the deployment failed; 2 wrong usage; 3 Berth cannot ' +
    'be reached; 130 interrupted. `berth run`, `exec`, `shell`, `db connect` and `open` end with ' +
    'the exit code of the program.',
] as const;

const url: Option = { value: 'URL', description: 'address of Berth' };
const email: Option = { value: 'EMAIL', description: 'address of the account' };
const token: Option = { value: 'TOKEN', description: 'token of an invitation to an organization' };

/** What stands in the list by hand, since it is no row of the table; the same shape, for the same page. */
const further: readonly Pick<Word, 'name' | 'usage' | 'summary' | 'description' | 'options'>[] = [
  {
    name: 'sign-up',
    usage: '--url URL --email EMAIL --name NAME',
    summary: 'creates an account and signs in',
    description:
      'Creates an account and signs in. Asks for a new password; in a pipe, the first line of standard ' +
      'input is the password. The first account owns the installation; from another machine it needs the ' +
      'token that `bin/up` printed. Every other account needs the token of an invitation.',
    options: {
      url,
      email,
      name: { value: 'NAME', description: 'your name, as other members see it' },
      token: { value: 'TOKEN', description: 'token that `bin/up` printed, or of an invitation' },
    },
  },
  {
    name: 'login',
    usage: '--url URL [--email EMAIL]',
    summary: 'signs in',
    description:
      'Signs in and stores an API key in ~/.config/berth/config.json. With --email it asks for the ' +
      'password, and for a code if the account has two-factor sign-in; without --email it asks for an ' +
      'API key. In a pipe, the first line of standard input is the password or key.',
    options: { url, email, token },
  },
  {
    name: 'logout',
    usage: '',
    summary: 'signs out',
    description: 'Signs out: deletes the API key that signing in created, here and in Berth.',
  },
  {
    name: 'reset-password',
    usage: '--email EMAIL [--remove-two-factor]',
    summary: 'sets a new password for an account',
    description:
      "Sets a new password when the old one is forgotten. Run it on Berth's own machine, as root; Berth " +
      'may be running or not. All sessions of the account end; its API keys stay valid.',
    options: {
      email,
      'remove-two-factor': { description: 'turns two-factor sign-in off, for a lost authenticator app' },
    },
  },
];

/** Help of one of the words that are in no table; undefined when it is not one of them. */
export function furtherHelp(name: string): string | undefined {
  const one = further.find((row) => row.name === name);
  return one && pageOf(one, { ...one.options, help: commonOptions.help });
}

export function generalHelp(): string {
  const shown = words.filter(({ hidden }) => !hidden);
  const width = Math.max(...shown.map(({ name }) => name.length)) + 3;
  const row = (name: string, summary: string): string => {
    const lines = wrapped(summary, lineWidth - width - 2);
    return `  ${name.padEnd(width)}${lines.join(`\n${' '.repeat(width + 2)}`)}\n`;
  };
  const lists = groups.map(({ title, words: own }) => {
    const rows = own.filter(({ hidden }) => !hidden).map(({ name, summary }) => row(name, summary));
    return `${title}\n${rows.join('')}`;
  });
  const further = `Further\n${beside.map(([name, summary]) => row(name, summary)).join('')}`;
  const says = outro.map((text) => `${wrapped(text, lineWidth).join('\n')}\n`);
  return intro + [...lists, further, ...says].join('\n');
}

/** What `berth api` shows; the routers come from a list without schemas. */
export function routersHelp(): string {
  return `Every procedure of the interface is a command.

  berth api <router>.<procedure> --field value …  calls it; the answer is JSON
  berth api <router>                              its procedures
  berth api <router>.<procedure> --help           its fields

Values: a field more than once makes a list; lists and objects may be JSON; a
bare --field is true, --no-field is false or null; @file is the file's content
where there is such a file (@./file and @/file always), @- the standard input,
and @@text a text that begins with @. --input '{…}' gives the whole input.
--follow keeps a stream open. --file PATH is what an upload sends, --file - what
comes through a pipe. A command may be one quoted text or a field for each word.
\`api\` may be left out.

${wrapped(`Routers: ${Object.keys(procedureKinds).join(', ')}`, lineWidth).join('\n')}
`;
}

export function wordHelp(word: Word): string {
  return pageOf(word, { ...word.options, ...commonOptions });
}

function pageOf(word: Pick<Word, 'name' | 'usage' | 'summary' | 'description'>, all: Options): string {
  const options = Object.entries(all);
  const width = Math.max(...options.map(([name, option]) => flagOf(name, option).length)) + 2;
  const lines = options.map(
    ([name, option]) =>
      `  ${flagOf(name, option).padEnd(width)}${wrapped(option.description, lineWidth - width - 2).join(
        `\n${' '.repeat(width + 2)}`,
      )}\n`,
  );
  const usage = ['berth', word.name, ...(word.usage === '' ? [] : [word.usage])].join(' ');
  const says = wrapped(word.description ?? `${capitalized(word.summary)}.`, lineWidth).join('\n');
  return `${usage}\n\n${says}\n\n${lines.join('')}`;
}

/** Letters of a line of help: it is read in narrow terminals too. */
const lineWidth = 79;

function flagOf(name: string, { short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}
