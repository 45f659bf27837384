/** The stored form of a release (an encrypted column of its deployment). */
import { z } from 'zod';
import type { DeploymentRecord } from '../db/tables.ts';
import type { ReleaseSnapshot } from './context.ts';
import { storedInputs } from './inputs/stored-inputs.ts';
import { storedSpec, withLaterFields } from './spec/stored-spec.ts';
import { fieldsIn, readStored, writeStored, type StoredFields, type StoredForm } from './stored-form.ts';

const form: StoredForm<ReleaseSnapshot> = {
  what: 'The release of this deployment',
  steps: [
    (former) => ({
      registryId: null,
      ...withVariables({ ...former, spec: withLaterFields(fieldsIn(former, 'spec')) }),
    }),
  ],
  schema: z.object({ ...storedInputs, spec: storedSpec, registryId: z.string().nullable() }),
};

/** The registry's password is not part of it; it is read anew when the release is made again. */
export function writeSnapshot(snapshot: ReleaseSnapshot): string {
  const { registryAuth: _auth, ...spec } = snapshot.spec;
  return writeStored(form, { ...snapshot, spec });
}

export function readSnapshot(
  deployment: Pick<DeploymentRecord, 'settings'> | undefined,
): ReleaseSnapshot | undefined {
  return deployment?.settings ? readStored(form, deployment.settings) : undefined;
}

/** The releases of Berth 0.1 and before kept their variables in the specification alone. */
function withVariables(former: StoredFields): StoredFields {
  if (former['settings'] === undefined || former['variables'] !== undefined) return former;
  const env = z.array(z.string()).catch([]).parse(fieldsIn(former, 'spec')['env']);
  const entries = env.map((entry): [string, string] => {
    const at = entry.indexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  // Berth itself sets PORT where nobody has.
  const isOwn = /^\s*(export\s+)?PORT\s*=/m.test(String(fieldsIn(former, 'settings')['env']));
  const own = entries.filter(([name]) => name !== 'PORT' || isOwn);
  return { ...former, variables: { env: Object.fromEntries(own) } };
}
