/**
 * Where psql takes a semicolon for the end of a statement: not within parentheses, and not within the body of
 * a function that begins with `BEGIN ATOMIC` (psqlscan.l of PostgreSQL 14 and newer).
 */
export interface StatementEnd {
  /** The next of the statement's own words and signs: without strings, quoted names and comments. */
  take(code: string): void;
  /** Whether a semicolon ends the statement there; a new one begins then. */
  isEnd(): boolean;
}

const signs = /[()]|[A-Za-z_\x80-\xff][\w$\x80-\xff]*/g;
/** Words by which psql knows the beginning of a function, as their first letters. */
const firstWords = ['create', 'function', 'procedure', 'or', 'replace'];
const functions = /^c(or)?[fp]/;

export function createStatementEnd(): StatementEnd {
  let [parentheses, bodies, words, first] = [0, 0, 0, ''];
  /** The beginning of a word whose end has not come. */
  let held = '';
  const onWord = (word: string): void => {
    if (words < 4) first += firstWords.includes(word) ? word.charAt(0) : '-';
    words += 1;
    if (!functions.test(first) || parentheses > 0) return;
    if (word === 'begin' || (word === 'case' && bodies > 0)) bodies += 1;
    else if (word === 'end' && bodies > 0) bodies -= 1;
  };
  const read = (text: string): void => {
    for (const [sign] of text.matchAll(signs))
      if (sign === '(') parentheses += 1;
      else if (sign === ')') parentheses = Math.max(0, parentheses - 1);
      else onWord(sign.toLowerCase());
  };
  return {
    take(code) {
      const text = held + code;
      const rest = /[\w$\x80-\xff]{1,64}$/.exec(text.slice(-64))?.[0] ?? '';
      held = rest;
      read(text.slice(0, text.length - rest.length));
    },
    isEnd() {
      read(held);
      held = '';
      if (parentheses > 0 || bodies > 0) return false;
      [words, first] = [0, ''];
      return true;
    },
  };
}
