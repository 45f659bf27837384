/** The part of one database in a dump of several, and a dump of MySQL or MariaDB without the other parts. */
import type { AppError } from '../../../domain/errors.ts';
import type { Bytes } from '../runs/unpack/bytes.ts';

/** Databases that each server has. What stands in their parts of a dump is not the data of a service. */
const ofServer: ReadonlySet<string> = new Set([
  'postgres',
  'template0',
  'template1',
  'mysql',
  'sys',
  'information_schema',
  'performance_schema',
]);

export interface PlainDump {
  /** The database whose part is taken from a dump that names any. */
  database: string;
  /** The refusal of a dump that names others alone. */
  ofOthers(names: readonly string[]): AppError;
  say(line: string): void;
}

export interface Parts {
  /** The dump goes on in the database of this name. */
  enter(name: string): void;
  /** Whether what comes is of another database. */
  isSkipped(): boolean;
  /** Fails when the dump named other databases alone. */
  end(): void;
}

export function createParts({ database, ofOthers, say }: PlainDump): Parts {
  const others = new Set<string>();
  let isFound = false;
  let isSkipped = false;
  return {
    enter(name) {
      isSkipped = name !== database;
      if (!isSkipped) isFound = true;
      else if (!ofServer.has(name)) others.add(name);
    },
    isSkipped: () => isSkipped,
    end() {
      if (others.size === 0) return;
      if (!isFound) throw ofOthers([...others]);
      say(`The dump has other databases, too, which are not restored: ${[...others].join(', ')}`);
    },
  };
}

/** The longest line that says which database is meant. */
const lineLimit = 4096;
const use = /^USE\s+(?:`((?:[^`]|``)+)`|([\w$]+))\s*;?\s*$/i;
const ofDatabase = /^(\/\*!\d+ )?(CREATE|DROP) (DATABASE|SCHEMA)\b[^;]*;\s*$/i;

/**
 * A dump by `mysqldump --databases` or `--all-databases` with the lines of one database, which
 * exists already. No line of a row begins with a statement: a dump writes line breaks of values as signs.
 */
export async function* mysqlPart(source: Bytes, dump: PlainDump): AsyncGenerator<Uint8Array> {
  const parts = createParts(dump);
  let held = '';
  let isWithin = false;
  const taken = (line: string): boolean => {
    if (isWithin) return !parts.isSkipped();
    const [, quoted, bare] = use.exec(line) ?? [];
    const name = quoted?.replaceAll('``', '`') ?? bare;
    if (name !== undefined) parts.enter(Buffer.from(name, 'latin1').toString('utf8'));
    return name === undefined && !ofDatabase.test(line) && !parts.isSkipped();
  };
  const lines = (text: string, isEnd: boolean): string => {
    const out: string[] = [];
    let at = 0;
    while (at < text.length) {
      const end = text.indexOf('\n', at) + 1 || text.length;
      const isWhole = text[end - 1] === '\n';
      if (!isWhole && !isEnd && !isWithin && end - at < lineLimit) break;
      const line = text.slice(at, end);
      if (taken(line)) out.push(line);
      isWithin = !isWhole;
      at = end;
    }
    held = text.slice(at);
    return out.join('');
  };
  for await (const chunk of source) {
    const out = lines(held + Buffer.from(chunk).toString('latin1'), false);
    if (out !== '') yield Buffer.from(out, 'latin1');
  }
  const out = lines(held, true);
  if (out !== '') yield Buffer.from(out, 'latin1');
  parts.end();
}
