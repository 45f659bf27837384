/**
 * A dump of PostgreSQL as SQL (`pg_dump`, with or without `--create`, and `pg_dumpall`), changed on its way
 * to the `psql` that loads it: without commands of the client and statements of administrators, and
 * with the part of one database where there are several. Strings, comments and rows stay as they are. Follows
 * PostgreSQL's documentation, "Lexical Structure" and "COPY", and the lexer of psql.
 */
import { AppError } from '../../../domain/errors.ts';
import type { Bytes } from '../runs/unpack/bytes.ts';
import { createParts, type Parts, type PlainDump } from './dump-parts.ts';
import { beginString, endString, stringKind, takeString, type StringConstant } from './plain-strings.ts';
import { createStatementEnd, type StatementEnd } from './statement-end.ts';

/** The most of a statement that is looked at before it goes on as it is. */
const statementLimit = 64 * 1024;
/** No sign that the lexer looks for is longer; a name between dollars has 63 bytes at most. */
const margin = 160;

/**
 * Statements about roles, rights and whole servers. Extensions and their schemas are there when the dump
 * loads.
 */
const dropped: readonly RegExp[] = [
  /^(create|alter|drop)\s+(role|user(?!\s+mapping)|group|database|tablespace)\s/i,
  /^(grant|revoke|reassign|drop\s+(extension|owned|schema))\s/i,
  /^alter\s+default\s+privileges\s/i,
  /^set\s+(session\s+authorization|role|default_tablespace|transaction_timeout)\b/i,
  /^comment\s+on\s+(extension|database|role|tablespace)\s/i,
];

const kinds =
  'access\\s+method|event\\s+trigger|foreign\\s+(?:table|data\\s+wrapper)|materialized\\s+view|' +
  'operator\\s+(?:class|family)|text\\s+search\\s+\\w+|user\\s+mapping|' +
  '(?!(?:access|event|foreign|materialized|operator\\s+(?:class|family)|text|user)\\s)\\w+';

const ownerChange = /\sowner\s+to\s+(?:"(?:[^"]|"")*"|[\w$\x80-\xff]+)\s*;$/i;
const isDropped = (statement: string): boolean =>
  dropped.some((one) => one.test(statement)) || (/^alter\s/i.test(statement) && ownerChange.test(statement));

/**
 * Changes for an empty database: nothing is there to drop, and some schemas exist already. Each pattern takes
 * time in proportion to the statement, whatever is in it.
 */
const changed: readonly { of?: RegExp; from: RegExp; to: string }[] = [
  { from: /^(create\s+schema)\s+(?!\s|if\s|authorization\s)/i, to: '$1 IF NOT EXISTS ' },
  { from: new RegExp(`^(drop\\s+(?:${kinds}))\\s+(?!\\s|if\\s)`, 'i'), to: '$1 IF EXISTS ' },
  {
    of: /\s(?:drop\s+constraint|alter\s+column\s+\S+\s+drop)\s/i,
    from: /^(alter\s+table)\s+(?!\s|if\s)/i,
    to: '$1 IF EXISTS ',
  },
  { of: /^alter\s/i, from: /(\sdrop\s+constraint)\s+(?!\s|if\s)/i, to: '$1 IF EXISTS ' },
];

const name = '(?:"(?:[^"]|"")*"|[\\w$\\x80-\\xff]+)';
const columns = '\\s*\\((?:[^()"]|"[^"]*")*\\)\\s*';
const rowsFollow = new RegExp(
  `^copy\\s+${name}(?:\\s*\\.\\s*${name})*(?:${columns}|\\s+)from\\s+stdin\\b`,
  'i',
);

/** In these a backslash may be the second byte of a letter (PostgreSQL, "Character Set Support"). */
const clientEncoding = /^set\s+(?:(?:session|local)\s+)?(?:client_encoding\b|names\b)(.*)/is;
const unsafeEncoding = /big5|gb18030|gbk|johab|s(?:hift_?)?jis|uhc|mskanji|win(?:dows)?9(?:32|36|49|50)/i;
const stringsSetting = /^set\s+(?:(?:session|local)\s+)?standard_conforming_strings\s*(?:=|to)\s*'?(\w+)/i;

/** Client commands without an effect on what is loaded. */
const silent = /^\\(restrict|unrestrict|echo|qecho|warn|timing|pset)\b/;
const connects = /^\\(?:c|connect)\s+(?:-reuse-previous=\w+\s+)?(.+?)\s*$/;
type Mode = 'code' | 'string' | 'escaped' | 'name' | 'dollar' | 'line' | 'block' | 'rows';

/** An archive of `pg_dump -Fc` or `-Ft` goes on as it is. */
export async function* postgresPart(source: Bytes, dump: PlainDump): AsyncGenerator<Uint8Array> {
  const lexer = createLexer(dump);
  let head: Buffer | undefined = Buffer.alloc(0);
  let isArchive = false;
  for await (const bytes of source) {
    let chunk: Uint8Array = bytes;
    if (head) {
      chunk = Buffer.concat([head, bytes]);
      head = chunk.length < 5 ? Buffer.from(chunk) : undefined;
      if (head) continue;
      isArchive = ['PGDMP', 'toc.d'].includes(Buffer.from(chunk).toString('latin1', 0, 5));
    }
    if (isArchive) {
      yield chunk;
      continue;
    }
    // psql reads lines as texts of C, which end at such a sign.
    if (chunk.includes(0)) throw unclear('a NUL byte');
    // Latin 1 stands for bytes in between: every sign that is looked for is ASCII.
    const out = lexer.take(Buffer.from(chunk).toString('latin1'), false);
    if (out !== '') yield Buffer.from(out, 'latin1');
  }
  if (isArchive) return;
  const out = lexer.take(`${head?.toString('latin1') ?? ''}\n`, true);
  if (out !== '') yield Buffer.from(out, 'latin1');
}

/** How far the text has come, and what is known of it there. */
interface Reading {
  parts: Parts;
  mode: Mode;
  /** Of comments within comments. */
  depth: number;
  /** The end of the text between dollars. */
  tag: string;
  /** Strings have escapes without an E, too. */
  escapesAlways: boolean;
  /** The statement so far; undefined once it goes on undecided, since it is too long. */
  statement: string | undefined;
  /** The string constant that is being read. */
  string: StringConstant | undefined;
  /** Nothing but space and comments came since a string. */
  followsString: boolean;
  end: StatementEnd;
  /** Rows have to begin on a line of their own: psql reads the rest of this one after them. */
  isBeforeRows: boolean;
  out: string[];
  /** The last of the text, which may be the beginning of a sign. */
  held: string;
  /** The two signs before it. */
  prior: string;
}

/** Where a step begins, in the text and what was held of the one before. */
interface Place {
  text: string;
  at: number;
  isEnd: boolean;
}

interface Lexer {
  /** The bytes that go on; the last of a text are kept until the next, unless it is the end. */
  take(text: string, isEnd: boolean): string;
}

function createLexer(dump: PlainDump): Lexer {
  const reading: Reading = {
    parts: createParts(dump),
    mode: 'code',
    depth: 0,
    tag: '',
    escapesAlways: false,
    statement: '',
    string: undefined,
    followsString: false,
    end: createStatementEnd(),
    isBeforeRows: false,
    out: [],
    held: '',
    prior: '',
  };
  return {
    take(added, isEnd) {
      reading.out = [];
      const text = reading.held + added;
      const at = walk(reading, text, isEnd);
      reading.held = text.slice(at);
      if (at > 0) reading.prior = signsBefore(reading, text, at);
      if (isEnd) {
        pass(reading, (reading.statement ?? '') + reading.held);
        reading.parts.end();
      }
      return reading.out.join('');
    },
  };
}

/** As far as the text is decided; the place behind that. */
function walk(reading: Reading, text: string, isEnd: boolean): number {
  const last = isEnd ? text.length : text.length - margin;
  let at = 0;
  while (at < last) {
    if (reading.mode === 'code') {
      const sign = Math.min(next(signs, text, at)?.index ?? text.length, last);
      if (sign > at) code(reading, text.slice(at, sign));
      at = sign;
      if (at >= last) break;
    }
    const moved = steps[reading.mode](reading, { text, at, isEnd });
    if (moved === undefined) break;
    at = moved;
  }
  return at;
}

function pass({ parts, out }: Reading, text: string): void {
  if (!parts.isSkipped()) out.push(text);
}

function add(reading: Reading, text: string): void {
  const { statement, mode } = reading;
  // Space and comments before a statement are not part of it.
  const isBefore = statement === '' && (mode === 'line' || mode === 'block' || text.trim() === '');
  if (statement === undefined || isBefore) return pass(reading, text);
  reading.statement = statement + text;
  if (reading.statement.length <= statementLimit) return;
  pass(reading, reading.statement);
  reading.statement = undefined;
}

/** Words and signs of a statement outside of strings, quoted names and comments. */
function code(reading: Reading, text: string): void {
  reading.end.take(text);
  if (text.trim() !== '') reading.followsString = false;
  add(reading, text);
}

function endStatement(reading: Reading): void {
  const whole = reading.statement ?? '';
  const trimmed = whole.trimStart();
  reading.statement = '';
  const setting = stringsSetting.exec(trimmed)?.[1];
  if (setting !== undefined) reading.escapesAlways = /^(off|false|f|no|n|0)$/i.test(setting);
  if (unsafeEncoding.test(clientEncoding.exec(trimmed)?.[1] ?? ''))
    throw unclear('an encoding in which letters hide signs (make it with pg_dump --encoding=UTF8)');
  if (/^copy\b/i.test(trimmed)) {
    if (!rowsFollow.test(trimmed)) throw unclear('a COPY that is not of rows in the dump');
    [reading.mode, reading.isBeforeRows] = ['rows', true];
  }
  if (isDropped(trimmed)) return;
  const space = whole.slice(0, whole.length - trimmed.length);
  const inEmpty = changed.reduce(
    (text, { of, from, to }) => (of === undefined || of.test(text) ? text.replace(from, to) : text),
    trimmed,
  );
  pass(reading, space + inEmpty);
}

function onCommand({ parts }: Reading, line: string): void {
  const name = connects.exec(line)?.[1];
  if (name !== undefined) parts.enter(nameIn(name));
  else if (!silent.test(line)) throw refusedCommand(line);
}

/** Each moves behind what begins there; undefined where more of the text is needed. */
const steps: Record<Mode, (reading: Reading, place: Place) => number | undefined> = {
  code(reading, { text, at }) {
    if (text[at] === '\\') return command(reading, text, at);
    if (text[at] === ';') {
      const isEnd = reading.end.isEnd();
      reading.followsString = false;
      add(reading, ';');
      if (isEnd) endStatement(reading);
      return at + 1;
    }
    const sign = opening(reading, text, at);
    if (!reading.string) add(reading, sign);
    return at + sign.length;
  },
  string: (reading, place) => stringSigns(reading, place, /'/g),
  escaped: (reading, place) => stringSigns(reading, place, /['\\]/g),
  name: (reading, place) => until(reading, place, '"'),
  dollar: (reading, place) => until(reading, place, reading.tag),
  line(reading, { text, at }) {
    const found = next(/[\r\n]/g, text, at);
    const end = found ? found.index + 1 : text.length;
    add(reading, text.slice(at, end));
    if (found) reading.mode = 'code';
    return end === at ? undefined : end;
  },
  block(reading, { text, at }) {
    const found = next(/\/\*|\*\//g, text, at);
    const end = found ? found.index + 2 : Math.max(at, text.length - 1);
    add(reading, text.slice(at, end));
    if (found) reading.depth += found[0] === '/*' ? 1 : -1;
    if (reading.depth === 0) reading.mode = 'code';
    return end === at ? undefined : end;
  },
  rows(reading, { text, at, isEnd }) {
    if (reading.isBeforeRows) {
      const line = text.indexOf('\n', at);
      if (text.slice(at, line === -1 ? text.length : line).trim() !== '')
        throw unclear('a COPY with more than spaces behind it on its line');
      if (line === -1) return undefined;
      reading.isBeforeRows = false;
    }
    const found = next(/\n\\\.\r?\n/g, text, at);
    // The line break behind the end of the rows is not part of them; the last signs may be their end.
    const partial = isEnd ? -1 : text.indexOf('\n', Math.max(at, text.length - 4));
    const end = found ? found.index + found[0].length - 1 : partial === -1 ? text.length : partial;
    if (found) reading.mode = 'code';
    if (end <= at) return undefined;
    pass(reading, text.slice(at, end));
    return end;
  },
};

function command(reading: Reading, text: string, at: number): number | undefined {
  const end = text.indexOf('\n', at);
  if (end === -1 && text.length - at > statementLimit) throw refusedCommand(text.slice(at, at + 20));
  if (end === -1) return undefined;
  onCommand(reading, text.slice(at, end).trimEnd());
  return end;
}

/** Begins the string, name or comment that the text has there; returns its first sign. */
function opening(reading: Reading, text: string, at: number): string {
  const before = signsBefore(reading, text, at);
  const sign = text[at] ?? '';
  const two = text.slice(at, at + 2);
  const quote = sign === '$' ? dollarAt(text, at) : '';
  if (quote !== '') {
    // A name may have the sign; whether a number may, readers do not agree.
    if (/[\w$\x80-\xff]$/.test(before)) throw unclear('a dollar sign within a name or number');
    reading.followsString = false;
    reading.mode = 'dollar';
    reading.tag = quote;
    return quote;
  }
  if (two === '--' || two === '/*') {
    reading.mode = two === '--' ? 'line' : 'block';
    reading.depth = 1;
    return two;
  }
  if (sign === '"') reading.mode = 'name';
  if (sign !== "'") {
    reading.followsString = false;
    return sign;
  }
  reading.string = beginString(stringKind(before, reading.followsString), reading.escapesAlways);
  reading.mode = reading.string.hasEscapes ? 'escaped' : 'string';
  return sign;
}

/** As far as the next quote, or the sign that is escaped. */
function stringSigns(reading: Reading, { text, at }: Place, signs: RegExp): number | undefined {
  const { string } = reading;
  if (!string) return undefined;
  const found = next(signs, text, at)?.index;
  if (found !== undefined && found + 2 > text.length) return undefined;
  const isPair = found !== undefined && (text[found] === '\\' || text[found + 1] === "'");
  const until = found ?? text.length;
  const taken = takeString(string, text.slice(at, until), found !== undefined && text[found] === "'");
  if (taken === undefined) throw unclear('a string that ends elsewhere where other settings hold');
  add(reading, taken);
  if (found === undefined) return until;
  if (isPair) {
    add(reading, takeString(string, text.slice(found, found + 2), false) ?? '');
    return found + 2;
  }
  add(reading, endString(string));
  reading.mode = 'code';
  [reading.string, reading.followsString] = [undefined, true];
  return found + 1;
}

/** As far as the sign, with it; all but the last signs where it is not in the text. */
function until(reading: Reading, { text, at }: Place, sign: string): number | undefined {
  const found = text.indexOf(sign, at);
  const end = found === -1 ? Math.max(at, text.length - sign.length + 1) : found + sign.length;
  add(reading, text.slice(at, end));
  if (found !== -1) reading.mode = 'code';
  return end === at ? undefined : end;
}

const signsBefore = ({ prior }: Reading, text: string, at: number): string =>
  (prior + text.slice(Math.max(0, at - 2), at)).slice(-2);

const signs = /[\\;$"']|--|\/\*/g;
const dollar = /\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*)?\$/y;

/** The first match from there on. */
function next(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function dollarAt(text: string, at: number): string {
  dollar.lastIndex = at;
  return dollar.exec(text)?.[0] ?? '';
}

/** `shop`, `"my shop"`, or what `pg_dump` writes for special names: `"dbname='my shop'"`. */
function nameIn(words: string): string {
  const bare = Buffer.from(words.replace(/^(["'])(.*)\1$/, '$2'), 'latin1').toString('utf8');
  const option = /^dbname='((?:[^'\\]|\\.)*)'$/.exec(bare)?.[1];
  return option === undefined ? bare.replaceAll('""', '"') : option.replaceAll(/\\(.)/g, '$1');
}

function unclear(what: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The dump has ${what}, in which psql could find commands that Berth does not see. Make a dump by ` +
      'pg_dump ' +
      '--format=custom and restore that. Nothing was changed.',
  );
}

function refusedCommand(line: string): AppError {
  const word = /^\\[A-Za-z!?]*/.exec(line)?.[0] ?? '\\';
  return new AppError(
    'PRECONDITION_FAILED',
    `The dump has the command ${word} of psql, and commands of the client are not run. Make a dump by ` +
      'pg_dump and restore that. Nothing was changed.',
  );
}
