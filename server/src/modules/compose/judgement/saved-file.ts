/**
 * Judges a compose file as it is saved, by the translation that a deployment uses: whatever holds for every
 * value of its variables is said at once. Pure.
 */
import { AppError, badField } from '../../../domain/errors.ts';
import { parseEnv } from '../../../domain/variables/dotenv.ts';
import { expandBlock } from '../../../domain/variables/env-expansion.ts';
import { lineOf, parseComposeFile } from '../compose-file.ts';
import { faultSentence, faultyKeyOf } from '../translation/keys.ts';
import { translate } from '../translation/translate.ts';

const field = 'composeFile';

/**
 * Throws BAD_REQUEST, with line and key, for what no variable can mend; `env` are the variables of the
 * compose service. What depends on a variable or on a file beside it is the deployment's matter.
 */
export function requireSavable(composeFile: string, env: string): void {
  const parsed = parseComposeFile(composeFile, field);
  const { top, services } = parsed;
  const faulty = faultyKeyOf(parsed);
  if (faulty) throw badField(field, faultSentence(composeFile, faulty));
  // A file that is being begun has nothing to deploy yet.
  if (services.size === 0) return;
  try {
    translate({
      text: composeFile,
      field,
      folder: undefined,
      variables: variablesOf(env),
      blocks: { project: '', environment: '', service: env },
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'BAD_REQUEST') throw error;
    const sentence = error.message.startsWith(`${field}: `)
      ? error.message.slice(field.length + 2)
      : error.message;
    const path = /^[^\s:]+/.exec(sentence)?.[0].split('.') ?? [];
    if (mayBeMended(top, path)) return;
    const line = lineOf(composeFile, path);
    throw line === undefined ? error : badField(field, `line ${line}: ${sentence}`);
  }
}

function variablesOf(env: string): Record<string, string> {
  try {
    return Object.fromEntries(parseEnv(expandBlock(env, 'env')).map(({ name, value }) => [name, value]));
  } catch (error) {
    // The block is judged where it is saved.
    if (error instanceof AppError) return {};
    throw error;
  }
}

/** Whether a variable decides at this place, a profile chooses it, or a file beside the compose file does. */
function mayBeMended(top: ReadonlyMap<unknown, unknown>, path: readonly string[]): boolean {
  if (path[0] === 'include' || path.includes('extends') || path.includes('security_opt')) return true;
  if (path[0] !== 'services' && !top.has(path[0] ?? '')) return false;
  let value: unknown = top;
  for (const part of path) {
    const next: unknown =
      value instanceof Map ? value.get(part) : Array.isArray(value) ? value[Number(part)] : undefined;
    if (next === undefined) break;
    value = next;
  }
  return JSON.stringify(plain(value)).includes('$');
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return [...value.values()].map(plain);
  return Array.isArray(value) ? value.map(plain) : value;
}
