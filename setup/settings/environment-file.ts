/**
 * The file of variables that starts Berth, in the grammar of systemd's EnvironmentFile (systemd.exec(5)):
 * one NAME="value" a line; inside double quotes a backslash stands before `"`, `\`, `` ` `` and `$`.
 */
import { AppError } from '../../server/src/domain/errors.ts';

export function formatEnvironment(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}="${escapeValue(name, value)}"\n`)
    .join('');
}

/** Reads what `formatEnvironment` wrote; other lines are skipped (a person may have put a comment there). */
export function parseEnvironment(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)="(.*)"$/.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    variables[match[1]] = match[2].replaceAll(/\\(["\\`$])/g, '$1');
  }
  return variables;
}

function escapeValue(name: string, value: string): string {
  if (/[\n\r\0]/.test(value)) {
    throw new AppError(
      'BAD_REQUEST',
      `${name} contains a line break or a NUL character. Write it on one line.`,
    );
  }
  return value.replaceAll(/["\\`$]/g, '\\$&');
}
