/**
 * `.gitignore` (gitignore(5)) and `.dockerignore` (Dockerfile reference), which say what of a folder is not
 * sent. Paths are relative to the root of the folder, with `/` between their parts.
 */

export interface IgnoreRules {
  /** Whether the path is left out: the last rule that fits decides; undefined when none does. */
  ignores(path: string, isFolder: boolean): boolean | undefined;
  /** Whether a rule takes back something below a folder that is left out, which must then be looked into. */
  mayBringBack: boolean;
}

interface Rule {
  pattern: RegExp;
  isNegated: boolean;
  foldersOnly: boolean;
}

/** Rules of a `.gitignore` that stands in `folder` ("" is the root); they hold below it. */
export function gitRules(text: string, folder: string): IgnoreRules {
  return rulesOf(
    linesOf(text).flatMap((line) => {
      const isNegated = line.startsWith('!');
      const bare = line.replace(/^!/, '').replace(/^\\(?=[!#])/, '');
      const foldersOnly = bare.endsWith('/');
      const path = bare.replace(/\/+$/, '');
      if (path === '') return [];
      // With a slash before its end a pattern is tied to the file's folder.
      const isTied = path.includes('/');
      const below = folder === '' ? '' : `${literal(folder)}/`;
      const source = `^${below}${isTied ? '' : '(?:.*/)?'}${sourceOf(path.replace(/^\/+/, ''))}$`;
      return [{ pattern: new RegExp(source, 'u'), isNegated, foldersOnly }];
    }),
    // In git, nothing below a folder that is left out can be taken back.
    false,
  );
}

/** Rules of the `.dockerignore` at the root: all are tied to it, and `!` brings back. */
export function dockerRules(text: string): IgnoreRules {
  const rules = linesOf(text).flatMap((line) => {
    const isNegated = line.startsWith('!');
    const path = line
      .replace(/^!/, '')
      .trim()
      .replace(/^(\.?\/)+/, '')
      .replace(/\/+$/, '');
    if (path === '' || path === '.') return [];
    // What a folder's rule says holds for all below it.
    return [{ pattern: new RegExp(`^${sourceOf(path)}(?:/.*)?$`, 'u'), isNegated, foldersOnly: false }];
  });
  return rulesOf(
    rules,
    rules.some(({ isNegated }) => isNegated),
  );
}

function rulesOf(rules: readonly Rule[], mayBringBack: boolean): IgnoreRules {
  return {
    mayBringBack,
    ignores(path, isFolder) {
      const last = rules.findLast(
        ({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.test(path),
      );
      return last && !last.isNegated;
    },
  };
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/(?<!\\)\s+$/, '').replace(/\\(\s)$/, '$1'))
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** A glob as a regular expression: `*`, `?` and `[…]` within a part, `**` over parts. */
function sourceOf(glob: string): string {
  let source = '';
  for (let at = 0; at < glob.length; at += 1) {
    const rest = glob.slice(at);
    const [many] = /^(\*\*\/)+/.exec(rest) ?? [];
    const [set, negated, inside = ''] = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest) ?? [];
    if (many !== undefined && (at === 0 || glob[at - 1] === '/')) {
      source += '(?:.*/)?';
      at += many.length - 1;
    } else if (rest.startsWith('**')) {
      source += '.*';
      at += 1;
    } else if (rest.startsWith('*')) source += '[^/]*';
    else if (rest.startsWith('?')) source += '[^/]';
    else if (set !== undefined) {
      source += `[${negated === '' ? '' : '^/'}${inside.replaceAll(/[\\\][^&~|]/g, String.raw`\$&`)}]`;
      at += set.length - 1;
    } else if (rest.startsWith('\\') && rest.length > 1) {
      source += literal(rest[1] ?? '');
      at += 1;
    } else source += literal(glob[at] ?? '');
  }
  return source;
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
