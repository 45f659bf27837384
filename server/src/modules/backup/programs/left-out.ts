/** What a program that loads a dump says of statements that failed, without the statements' data. */

/** Of one entry. */
const lengthLimit = 300;
const mostEntries = 500;
const failed = /^(?:[\w/.-]+: error: (?:could not execute query: )?(.+)|(ERROR \d+ .+))$/;
const command = /^Command was: (.*)$/;
/** Where a statement goes on with a password or an address. */
const confidential = /\b(options|connection|password|identified)\b/i;

export interface LoadFaults {
  /** Takes a line that the program says, and passes it on, but for what follows the first of a statement. */
  line(text: string): void;
  /** Each statement that failed, in the words of the database. */
  list(): string[];
  /** The program went on to the end of the dump. */
  isWhole(): boolean;
}

export function createLoadFaults(say: (line: string) => void): LoadFaults {
  const faults: string[] = [];
  let isInCommand = false;
  let isWhole = false;
  return {
    line(text) {
      const statement = command.exec(text)?.[1];
      if (statement !== undefined) {
        isInCommand = true;
        const words = beginningOf(statement);
        say(`Command was: ${words}`);
        const last = faults.pop();
        if (last !== undefined) faults.push(`${last} (${words})`);
        return;
      }
      const found = failed.exec(text);
      if (/^[\w/.-]+: /.test(text) || found) isInCommand = false;
      if (isInCommand) return;
      if (/errors ignored on restore: \d+/.test(text)) isWhole = true;
      const words = found?.[1] ?? found?.[2];
      if (words !== undefined && faults.length < mostEntries)
        faults.push(words.replaceAll(/\s+/g, ' ').slice(0, lengthLimit));
      say(text);
    },
    list: () => faults,
    isWhole: () => isWhole,
  };
}

function beginningOf(statement: string): string {
  const at = statement.search(confidential);
  const words = (at === -1 ? statement : statement.slice(0, at)).trimEnd();
  return words.length > 160 ? `${words.slice(0, 160)} …` : words;
}
