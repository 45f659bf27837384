/**
 * The stored form of a release of a compose service (an encrypted column of its deployment): enough to make
 * exactly it again.
 */
import { z } from 'zod';
import type { DeploymentRecord } from '../../db/tables.ts';
import type { Dependency } from '../../modules/compose/translation/plan.ts';
import type { ReleasedInputs } from '../inputs/inputs.ts';
import { storedInputs } from '../inputs/stored-inputs.ts';
import { storedSpec, withLaterFields } from '../spec/stored-spec.ts';
import { fieldsIn, readStored, writeStored, type StoredFields, type StoredForm } from '../stored-form.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';

export interface ComposeSnapshot extends ReleasedInputs {
  /** The file, where it came from the record. */
  text: string | null;
  suffix: string;
  /** Each after those it depends on. */
  services: ComposeRelease[];
  /** Those that ran to their end in this deployment. */
  ended: string[];
  /** Versions of the engine's services before this release, by their names there; null before it began. */
  previous: Record<string, number> | null;
}

export interface ComposeRelease {
  /** As the file has it. */
  service: string;
  spec: ServiceSpec;
  /** Content of the image, since a name may mean another one later. */
  imageId: string;
  dependsOn: Dependency[];
  isOneShot: boolean;
}

const release = z.object({
  service: z.string(),
  spec: storedSpec,
  imageId: z.string(),
  dependsOn: z.array(
    z.object({ service: z.string(), condition: z.enum(['started', 'healthy', 'completed']) }),
  ),
  isOneShot: z.boolean(),
} satisfies { [K in keyof ComposeRelease]: z.ZodType });

const form: StoredForm<ComposeSnapshot> = {
  what: 'The release of this deployment',
  steps: [
    (former) => ({
      text: null,
      suffix: '',
      ended: [],
      previous: null,
      ...former,
      services: z
        .array(z.looseObject({}))
        .catch([])
        .parse(former['services'])
        .map((one: StoredFields) => ({ ...one, spec: withLaterFields(fieldsIn(one, 'spec')) })),
    }),
  ],
  schema: z.object({
    ...storedInputs,
    text: z.string().nullable(),
    suffix: z.string(),
    services: z.array(release),
    ended: z.array(z.string()),
    previous: z.record(z.string(), z.number()).nullable(),
  }),
};

/** Passwords of registries are no part of it; they are read anew. */
export function writeComposeSnapshot(snapshot: ComposeSnapshot): string {
  const services = snapshot.services.map(({ spec: { registryAuth: _auth, ...spec }, ...release }) => ({
    ...release,
    spec,
  }));
  return writeStored(form, { ...snapshot, services });
}

export function readComposeSnapshot(
  deployment: Pick<DeploymentRecord, 'settings'> | undefined,
): ComposeSnapshot | undefined {
  return deployment?.settings ? readStored(form, deployment.settings) : undefined;
}

/** What the engine keeps running of it. */
export const keptServices = ({ services }: ComposeSnapshot): ComposeRelease[] =>
  services.filter(({ isOneShot }) => !isOneShot);

/** What the engine calls its services, by their names in the file. */
export const releasedNames = (snapshot: ComposeSnapshot): Record<string, string> =>
  Object.fromEntries(keptServices(snapshot).map(({ service, spec }) => [service, spec.name]));
