/** Variables of a compose service, references put in. Pure. */
import { formatEnv } from './dotenv.ts';
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
  const plain = resolveBlock('env', env, { ...around, service: '', secret: secretText });
  const secret = resolveBlock('secretEnv', secretText, { ...around, service: env });
  return {
    blocks: { ...around, service: env, secret: secretText },
    plain,
    secret,
    all: { ...plain, ...secret },
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
