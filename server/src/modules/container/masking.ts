/** A container's configuration without what is secret in it. */
import { createRedactor } from '../../domain/secrets/redactor.ts';
import { dots } from '../../domain/secrets/secret-patterns.ts';

const secretName = /passw|passphrase|secret|token|credential|private.?key|api.?key/i;
/**
 * A shorter value is as likely an ordinary word; hiding it everywhere would hide half of the configuration.
 */
const tellingLength = 8;

/** `KEY=••••` for each variable. */
export function namesOnly(env: readonly string[]): string[] {
  return env.map((entry) => `${nameOf(entry)}=${dots}`);
}

/**
 * Values of variables are hidden wherever they stand, and so is what has a secret name or looks like a
 * secret.
 */
export function withoutSecrets(
  configuration: Readonly<Record<string, unknown>>,
  env: readonly string[],
): Record<string, unknown> {
  const variables = new Map(env.map((entry) => [entry, `${nameOf(entry)}=${dots}`]));
  const redact = createRedactor(
    env.flatMap((entry) => {
      const value = entry.slice(nameOf(entry).length + 1);
      return value.length >= tellingLength || secretName.test(nameOf(entry)) ? [value] : [];
    }),
  );
  function masked(value: unknown, name: string): unknown {
    if (typeof value === 'string')
      return variables.get(value) ?? (secretName.test(name) && value !== '' ? dots : redact(value));
    if (Array.isArray(value)) return value.map((item) => masked(item, name));
    return typeof value === 'object' && value !== null ? maskedEntries(value) : value;
  }
  function maskedEntries(value: object): Record<string, unknown> {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, masked(item, name)]));
  }
  return maskedEntries(configuration);
}

function nameOf(entry: string): string {
  return entry.split('=', 1)[0] ?? '';
}
