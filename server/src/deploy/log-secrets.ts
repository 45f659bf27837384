/** What must never stand in a deployment's log: credentials, build secrets, and variables whose names say that they are secret. */
import { createRedactor, redactLines, type Redactor } from '../domain/redactor.ts';
import type { ApplicationRecord } from '../db/tables.ts';

export interface LogSecrets {
  /** Hides the general patterns from the first line on, and the values that `add` named from then on. */
  redact(text: string): string;
  add(application: ApplicationRecord, env: Record<string, string>, buildSecrets: Record<string, string>): void;
}

const secretName = /secret|token|pass|pwd|key|credential|auth|dsn|private|database_url|connection/i;

export function createLogSecrets(): LogSecrets {
  let redactor: Redactor = redactLines(createRedactor());
  return {
    redact: (text) => redactor(text),
    add(application, env, buildSecrets) {
      const named = Object.entries(env).filter(([name]) => secretName.test(name)).map(([, value]) => value);
      const values = [...named, ...Object.values(buildSecrets), application.password ?? '', application.customGitPassword ?? ''];
      redactor = redactLines(createRedactor(values.filter((value) => value.length > 0)));
    },
  };
}
