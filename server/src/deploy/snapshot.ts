/** The stored form of a release (an encrypted column of its deployment). */
import { z } from 'zod';
import type { DeploymentRecord } from '../db/tables.ts';
import type { ReleaseSnapshot } from './context.ts';
import { storedInputs } from './inputs/stored-inputs.ts';
import { storedSpec, withLaterFields } from './spec/stored-spec.ts';
import { fieldsIn, readStored, writeStored, type StoredFields, type StoredForm } from './stored-form.ts';

const releaseForm: StoredForm<ReleaseSnapshot> = {
  what: 'The release of this deployment',
  // A changed schema needs a step at the end of this list: its length is the number of the form.
  steps: [fromUnnumbered],
  schema: z.object({ ...storedInputs, spec: storedSpec, registryId: z.string().nullable() }),
};

/** The registry's password is not part of it; it is read anew when the release is made again. */
export function writeSnapshot(snapshot: ReleaseSnapshot): string {
  const { registryAuth: _auth, ...spec } = snapshot.spec;
  return writeStored(releaseForm, { ...snapshot, spec });
}

export function readSnapshot(
  deployment: Pick<DeploymentRecord, 'settings'> | undefined,
): ReleaseSnapshot | undefined {
  return deployment?.settings ? readStored(releaseForm, deployment.settings) : undefined;
}

/** Berth 0.1 gave its releases no number, and knew fewer fields. */
function fromUnnumbered(former: StoredFields): StoredFields {
  const spec = withLaterFields(fieldsIn(former, 'spec'));
  return { registryId: null, ...withVariables({ ...former, spec }) };
}

/** Berth 0.1 kept the variables of a release in its specification alone. */
function withVariables(former: StoredFields): StoredFields {
  if (former['settings'] === undefined || former['variables'] !== undefined) return former;
  const env = z.array(z.string()).catch([]).parse(fieldsIn(former, 'spec')['env']);
  const entries = env.map((entry): [string, string] => {
    const at = entry.indexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  // Berth sets PORT where the service does not; such a PORT is no variable of the service.
  const setsPort = /^\s*(export\s+)?PORT\s*=/m.test(String(fieldsIn(former, 'settings')['env']));
  const own = entries.filter(([name]) => name !== 'PORT' || setsPort);
  return { ...former, variables: { env: Object.fromEntries(own) } };
}
