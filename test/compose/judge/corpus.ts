/** Reads the corpus: compose files in the style of real ones, each with what lies beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CorpusFile {
  /** `<file of the corpus>: <title>`. */
  name: string;
  /** Texts by their paths; `compose.yml` is the file itself. */
  files: Readonly<Record<string, string>>;
}

const folder = join(import.meta.dirname, '../corpus');

/**
 * Files of a text: `=== title` begins a folder, `--- path` a file in it, which is `compose.yml` without that
 * line.
 */
function read(name: string): CorpusFile[] {
  const text = readFileSync(join(folder, name), 'utf8');
  return text
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const [title = '', ...lines] = block.split('\n');
      const [own = '', ...others] = lines.join('\n').split(/^--- /m);
      const files = others.map((other): [string, string] => {
        const end = other.indexOf('\n');
        return [other.slice(0, end), other.slice(end + 1)];
      });
      return {
        name: `${name.replace(/\.txt$/, '')}: ${title}`,
        files: { 'compose.yml': own, ...Object.fromEntries(files) },
      };
    });
}

export const corpus: readonly CorpusFile[] = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .toSorted()
  .flatMap(read);
