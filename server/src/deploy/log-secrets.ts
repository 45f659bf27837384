/**
 * Keeps secrets out of a deployment's log: credentials, build secrets, and variables whose names suggest a
 * secret.
 */
import { createRedactor, redactLines, type Redactor } from '../domain/secrets/redactor.ts';

export interface LogSecrets {
  /**
   * Hides the general patterns from the first line on, and each value from the time that `add` was given it.
   */
  redact(text: string): string;
  add(values: readonly string[]): void;
}

const secretName = /secret|token|pass|pwd|key|credential|auth|dsn|private|database_url|connection/i;

/** The values of the variables whose names suggest a secret. */
export function secretValues(env: Record<string, string>): string[] {
  return Object.entries(env)
    .filter(([name]) => secretName.test(name))
    .map(([, value]) => value);
}

const shortestLine = 6;

/** The content of secret files, whole and by line, since a program may print lines one by one. */
export function secretFiles(mounts: readonly { isSecret: boolean; content: string | null }[]): string[] {
  return mounts.flatMap(({ isSecret, content }) => {
    if (!isSecret || !content) return [];
    const lines = content.split('\n').map((line) => line.trim());
    return [content, ...lines.filter(({ length }) => length >= shortestLine)];
  });
}

export function createLogSecrets(): LogSecrets {
  const known = new Set<string>();
  let redactor: Redactor = redactLines(createRedactor());
  return {
    redact: (text) => redactor(text),
    add(values) {
      for (const value of values) if (value.length > 0) known.add(value);
      redactor = redactLines(createRedactor([...known]));
    },
  };
}
