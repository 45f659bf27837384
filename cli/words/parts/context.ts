/** What a word runs with. */
import type { Connection } from '../../../client/call.ts';
import { createClient, type Client } from '../../../client/client.ts';
import { readConnection } from '../../connection/config.ts';
import { lookOf, wantsColor, type Format, type Look } from '../../look.ts';
import { printableJson, printableLine } from '../../output/printable.ts';
import { table, type Column } from '../../output/table.ts';
import { sentence } from '../../output/wrap.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import type { Given } from './given.ts';

export interface Berth {
  connection: Connection;
  client: Client;
}

export interface Context extends Pick<Given, 'args' | 'rest'> {
  terminal: Terminal;
  look: Look;
  /** Whether answers are JSON. */
  isJson: boolean;
  /** Whether an option that takes nothing was given. */
  is(option: string): boolean;
  /** Text of an option. */
  text(option: string): string | undefined;
  /** Texts of an option that may be given more than once. */
  texts(option: string): readonly string[];
  /** The Berth that is called; throws UsageError without an address or key. */
  berth(): Promise<Berth>;
  /** Prints a value as JSON, or as what `text` makes of it. */
  answer(value: unknown, text: () => string): void;
  /** Prints rows as JSON (or `value` in their place) or as a table; a sentence where there are none. */
  list<T>(columns: readonly Column<NoInfer<T>>[], rows: readonly T[], none: string, value?: unknown): void;
  /** What goes on, for people: to the error output, so that a pipe gets the answer alone. */
  say(text: string, format?: Format): void;
}

export function contextOf({ args, rest, options }: Given, terminal: Terminal): Context {
  if (options['json'] === true && options['table'] === true)
    throw new UsageError('--json and --table exclude each other; give one.');
  const isJson = options['json'] === true || (!terminal.isTerminal && options['table'] !== true);
  const texts = (option: string): readonly string[] => {
    const value = options[option];
    return typeof value === 'string' ? [value] : Array.isArray(value) ? value.map(String) : [];
  };
  const hasColor = wantsColor(terminal.environment, terminal.isTerminal);
  const look = lookOf(hasColor);
  let berth: Promise<Berth> | undefined;
  const answer = (value: unknown, text: () => string): void =>
    terminal.out(isJson ? `${printableJson(value, 2)}\n` : shownText(text(), hasColor));
  return {
    args,
    rest,
    terminal,
    look,
    isJson,
    is: (option) => options[option] === true,
    text: (option) => texts(option).at(-1),
    texts,
    berth: () => (berth ??= open(terminal)),
    answer,
    list: (columns, rows, none, value = rows) =>
      answer(value, () => (rows.length === 0 ? `${none}\n` : table(columns, rows, terminal.columns))),
    say(text, format) {
      const shown = sentence(text, terminal);
      terminal.say(`${format === undefined ? shown : look(format, shown)}\n`);
    },
  };
}

/** Names of others stand in it: its colours stay, and nothing that moves the cursor. */
function shownText(text: string, hasColor: boolean): string {
  return text
    .split('\n')
    .map((line) => printableLine(line, hasColor))
    .join('\n');
}

async function open({ environment }: Terminal): Promise<Berth> {
  const connection = await readConnection(environment);
  return { connection, client: createClient(connection) };
}

/** A list procedure answers an array, or a page where it was asked for one; we ask for none. */
export function itemsOf<T>(list: readonly T[] | { items: readonly T[] }): readonly T[] {
  return 'items' in list ? list.items : list;
}
