/** Variables of a compose service, references put in. Pure. */
import { formatEnv, parseEnv } from './dotenv.ts';
import { expandBlock } from './env-expansion.ts';
import { resolveBlock, type EnvBlocks, type SurroundingBlocks } from './env.ts';
import { secretBlock } from './secret-env.ts';

export interface ComposeVariables {
  /** What references in the file itself see. */
  blocks: EnvBlocks;
  /** Those that may stand in a file beside the compose file. */
  plain: Record<string, string>;
  secret: Record<string, string>;
  /** Both; the secret ones win. */
  all: Record<string, string>;
}

/**
 * Those of project and environment come in by references alone, since who changes those need not be who may
 * change what a file reaches.
 */
export function composeVariables(
  { env, secretEnv }: { env: string; secretEnv: string },
  around: SurroundingBlocks,
): ComposeVariables {
  const secretText = secretBlock(secretEnv);
  const secrets = new Map(parseEnv(secretText, 'secretEnv').map(({ name, value }) => [name, value]));
  const own = expandBlock(env, 'env');
  const plain = resolveBlock('env', own, { ...around, service: '', secret: secretText });
  const secret = resolveBlock('secretEnv', secretText, { ...around, service: own });
  // What a variable takes of a secret one is for programs alone, and in no file.
  const whole = expandBlock(env, 'env', (name) => secrets.get(name));
  const all =
    whole === own ? plain : resolveBlock('env', whole, { ...around, service: '', secret: secretText });
  return {
    blocks: { ...around, service: whole, secret: secretText },
    plain,
    secret,
    all: { ...all, ...secret },
  };
}

/**
 * What references in a file of a repository see: the compose service's own variables with their values, and
 * nothing of project, environment or the services beside it. Who writes a repository is not whoever may read
 * those; the service's own variables pass on what it is to have.
 */
export function blocksOfRepository(own: Readonly<Record<string, string>>): EnvBlocks {
  const literal = Object.entries(own).map(([name, value]) => [name, value.replaceAll('${{', () => '$${{')]);
  return {
    project: '',
    environment: '',
    service: formatEnv(Object.fromEntries(literal)),
  };
}
