/** `berth completion`: what a shell completes, made from the table of words. */
import { UsageError } from '../usage-error.ts';
import { didYouMean } from '../../server/src/domain/text/closest.ts';
import { commonOptions, type Word } from './parts/word.ts';

/** The word, for the table that it completes. */
export const completionWord = (words: () => readonly Word[]): Word => ({
  name: 'completion',
  usage: 'bash|zsh|fish',
  summary: 'prints the script that completes commands, options and services in a shell',
  description:
    'Prints a script for the shell. bash: `source <(berth completion bash)` in ~/.bashrc; zsh: ' +
    '`source <(berth completion zsh)` in ~/.zshrc after compinit; fish: ' +
    '`berth completion fish > ~/.config/fish/completions/berth.fish`.',
  most: 1,
  calls: [],
  async run({ args: [shell = ''], terminal }) {
    const script = scripts[shell];
    if (!script)
      throw new UsageError(
        `Which shell?${didYouMean(shell, Object.keys(scripts))} Usage: berth completion bash|zsh|fish`,
      );
    terminal.out(script(words().filter(({ hidden }) => !hidden)));
  },
});

type Words = readonly Word[];

const scripts: Readonly<Record<string, (shown: Words) => string>> = {
  // Names of services are compared and never expanded: what \`compgen -W\` gets is expanded once more by the
  // shell, so it only gets words of the table.
  bash: (shown) => `_berth_services() {
  local name
  while IFS= read -r name; do
    [[ "$name" == "$1"* && "$name" != *[!A-Za-z0-9._/-]* ]] && COMPREPLY+=("$name")
  done <<END_OF_SERVICES
$(berth __services 2>/dev/null)
END_OF_SERVICES
}
_berth() {
  local word="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firstWords(shown).join(' ')}" -- "$word"))
    return
  fi
${secondWordsInBash(shown)}
  if [[ "$word" == -* ]]; then
    local options=""
    case "$first $second" in
${optionCases(shown)}
    esac
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  _berth_services "$word"
}
complete -o default -F _berth berth
`,
  zsh: (shown) => `autoload -U +X bashcompinit && bashcompinit
${scripts['bash']?.(shown) ?? ''}`,
  fish: (shown) => {
    const firsts = firstWords(shown).map((first) => {
      const word = shown.find(({ name }) => name === first);
      const inner = shown.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
      const summary = word?.summary ?? inner.join(', ');
      return `complete -c berth -f -n __fish_use_subcommand -a ${first} -d '${quoted(summary)}'`;
    });
    const more = shown.flatMap(({ name, summary, options }) => {
      const [first = '', second] = name.split(' ');
      const isFirst = `__fish_seen_subcommand_from ${first}`;
      const isThis = second === undefined ? isFirst : `${isFirst}; and __fish_seen_subcommand_from ${second}`;
      const own = Object.entries(options ?? {}).map(
        ([option, { short, description }]) =>
          `complete -c berth -n '${isThis}' -l ${option}` +
          `${short === undefined ? '' : ` -s ${short}`} -d '${quoted(description)}'`,
      );
      if (second === undefined) return own;
      return [`complete -c berth -f -n '${isFirst}' -a ${second} -d '${quoted(summary)}'`, ...own];
    });
    const places = firstWords(shown).filter((word) => !outOfTable.includes(word));
    return [
      ...firsts,
      ...more,
      `complete -c berth -f -n '__fish_seen_subcommand_from ${places.join(' ')}' ` +
        "-a '(berth __services 2>/dev/null)'",
      '',
    ].join('\n');
  },
};

const outOfTable: readonly string[] = ['login', 'logout', 'sign-up', 'api', 'help'];

function firstWords(shown: Words): string[] {
  const firsts = shown.map(({ name }) => name.split(' ')[0] ?? name);
  return [...new Set([...firsts, ...outOfTable])];
}

function secondWordsInBash(shown: Words): string {
  const pairs = shown.flatMap(({ name }) => {
    const [first, second] = name.split(' ');
    return first === undefined || second === undefined ? [] : [{ first, second }];
  });
  const firsts = [...new Set(pairs.map(({ first }) => first))];
  const cases = firsts.map((first) => {
    const seconds = pairs.filter((pair) => pair.first === first).map(({ second }) => second);
    // A word of its own, too: what follows may be a service.
    const services = shown.some(({ name }) => name === first) ? ' _berth_services "$word";' : '';
    const all = [...new Set(seconds)].join(' ');
    return `      ${first}) COMPREPLY=($(compgen -W "${all}" -- "$word"));${services} return ;;`;
  });
  return `  if [ "$COMP_CWORD" -eq 2 ] && [[ "$word" != -* ]]; then
    case "$first" in
${cases.join('\n')}
    esac
  fi`;
}

function optionCases(shown: Words): string {
  return shown
    .toSorted((one, other) => other.name.split(' ').length - one.name.split(' ').length)
    .map(({ name, options }) => {
      const all = Object.keys({ ...options, ...commonOptions }).map((option) => `--${option}`);
      const pattern = name.includes(' ') ? `"${name}"` : `"${name} "*`;
      return `      ${pattern}) options="${all.join(' ')}" ;;`;
    })
    .join('\n');
}

function quoted(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`);
}
