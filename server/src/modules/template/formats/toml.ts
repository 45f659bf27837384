/** TOML 1.0 as templates use it: tables, arrays of tables, strings of every kind, numbers, arrays. Pure. */
import { AppError } from '../../../domain/errors.ts';

export type TomlValue = string | number | boolean | TomlValue[] | TomlTable;
export interface TomlTable {
  [key: string]: TomlValue;
}

const deepest = 20;

/** Throws AppError with the line where the text is not TOML. Dates stay as the texts that they are. */
export function parseToml(text: string): TomlTable {
  return new Reader(text.replaceAll('\r\n', '\n')).document();
}

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001B',
  '"': '"',
  '\\': '\\',
};

class Reader {
  private at = 0;
  private depth = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  document(): TomlTable {
    const top = newTable();
    let table = top;
    for (this.skip(); this.at < this.text.length; this.skip()) {
      if (this.take('[[')) {
        table = this.arrayEntry(top, this.keys());
        this.expect(']]');
      } else if (this.take('[')) {
        table = this.tableAt(top, this.keys());
        this.expect(']');
      } else this.pair(table);
      this.endOfLine();
    }
    return top;
  }

  private pair(table: TomlTable): void {
    const keys = this.keys();
    const last = keys.pop() ?? '';
    this.blanks();
    this.expect('=');
    this.blanks();
    const into = this.tableAt(table, keys);
    if (Object.hasOwn(into, last)) throw this.fault(`has ${last} twice`);
    into[last] = this.value();
  }

  private tableAt(from: TomlTable, keys: readonly string[]): TomlTable {
    let table = from;
    for (const key of keys) {
      const present = Object.hasOwn(table, key) ? table[key] : undefined;
      const next: TomlValue = Array.isArray(present) ? (present.at(-1) ?? '') : (present ?? newTable());
      if (!isTable(next)) throw this.fault(`uses ${key} as a table, which is a value`);
      if (present === undefined) table[key] = next;
      table = next;
    }
    return table;
  }

  private arrayEntry(top: TomlTable, keys: string[]): TomlTable {
    const last = keys.pop() ?? '';
    const parent = this.tableAt(top, keys);
    const list = Object.hasOwn(parent, last) ? parent[last] : (parent[last] = []);
    if (!Array.isArray(list)) throw this.fault(`uses ${last} as a list of tables, which it is not`);
    const entry = newTable();
    list.push(entry);
    return entry;
  }

  private keys(): string[] {
    const keys: string[] = [];
    do {
      this.blanks();
      const next = this.text[this.at];
      if (next === '"' || next === "'") keys.push(this.string());
      else keys.push(this.match(/[A-Za-z0-9_-]+/y) ?? this.refuse('has no name here'));
      this.blanks();
    } while (this.take('.'));
    return keys;
  }

  private value(): TomlValue {
    const next = this.text[this.at];
    if (next === '"' || next === "'") return this.string();
    if (next === '[' || next === '{') {
      if ((this.depth += 1) > deepest) throw this.fault('is nested too deeply');
      const value = next === '[' ? this.list() : this.inlineTable();
      this.depth -= 1;
      return value;
    }
    const word = this.match(/[^\s,\]}#]+/y) ?? this.refuse('has no value here');
    if (word === 'true' || word === 'false') return word === 'true';
    const number = Number(word.replaceAll('_', ''));
    if (Number.isFinite(number)) return number;
    if (/^\d{4}-\d{2}-\d{2}/.test(word)) return word;
    throw this.fault(`has ${word.slice(0, 40)}, which is no value; texts stand in quotes`);
  }

  private list(): TomlValue[] {
    this.expect('[');
    const found: TomlValue[] = [];
    for (this.skip(); !this.take(']'); this.skip()) {
      found.push(this.value());
      this.skip();
      if (!this.take(',') && this.text[this.at] !== ']') throw this.fault('has no comma in a list');
    }
    return found;
  }

  private inlineTable(): TomlTable {
    this.expect('{');
    const table = newTable();
    for (this.skip(); !this.take('}'); this.skip()) {
      this.pair(table);
      this.skip();
      if (!this.take(',') && this.text[this.at] !== '}') throw this.fault('has no comma in a table');
    }
    return table;
  }

  private string(): string {
    for (const quote of ['"""', "'''", '"', "'"]) {
      if (!this.take(quote)) continue;
      const isLong = quote.length === 3;
      if (isLong) this.take('\n');
      return quote.startsWith('"') ? this.basic(quote, isLong) : this.literal(quote, isLong);
    }
    throw this.fault('has no text here');
  }

  private literal(quote: string, isLong: boolean): string {
    const end = this.text.indexOf(quote, this.at);
    const value = this.text.slice(this.at, end === -1 ? this.text.length : end);
    if (end === -1 || (!isLong && value.includes('\n'))) throw this.fault('has a text without its end');
    this.at = end + quote.length;
    return value + (isLong ? this.quotesAtEnd("'") : '');
  }

  private basic(quote: string, isLong: boolean): string {
    let value = '';
    while (!this.take(quote)) {
      const letter = this.text[this.at];
      if (letter === undefined || (letter === '\n' && !isLong))
        throw this.fault('has a text without its end');
      this.at += 1;
      if (letter !== '\\') value += letter;
      else if (!isLong || this.match(/[ \t]*\n\s*/y) === undefined) value += this.escaped();
    }
    return value + (isLong ? this.quotesAtEnd('"') : '');
  }

  /** One or two quotes may stand before the three that end a long text. */
  private quotesAtEnd(quote: string): string {
    return this.match(quote === '"' ? /"{1,2}/y : /'{1,2}/y) ?? '';
  }

  private escaped(): string {
    const code = this.match(/u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}/y);
    const point = code === undefined ? undefined : Number.parseInt(code.slice(1), 16);
    if (point !== undefined && point <= 0x10_ff_ff) return String.fromCodePoint(point);
    const letter = this.text[this.at] ?? '';
    this.at += 1;
    // Other readers let escapes that mean nothing stand, and catalogues have some.
    return escapes[letter] ?? `\\${letter}`;
  }

  private skip(): void {
    this.match(/(?:\s|#[^\n]*)+/y);
  }

  private blanks(): void {
    this.match(/[ \t]+/y);
  }

  private endOfLine(): void {
    if (this.match(/[ \t]*(?:#[^\n]*)?(?:\n|$)/y) === undefined)
      throw this.fault('has more on the line than one entry');
  }

  private take(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private expect(text: string): void {
    if (!this.take(text)) throw this.fault(`has no ${text} here`);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private refuse(what: string): never {
    throw this.fault(what);
  }

  private fault(what: string): AppError {
    return new AppError('BAD_REQUEST', `Line ${this.text.slice(0, this.at).split('\n').length} ${what}.`);
  }
}

const newTable = (): TomlTable => Object.create(null) as TomlTable;
const isTable = (value: TomlValue): value is TomlTable => typeof value === 'object' && !Array.isArray(value);
