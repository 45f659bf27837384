/**
 * The stored form of a release of a compose service (an encrypted column of its deployment): enough to
 * restore exactly this release.
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
  /** The compose file; null when it came from a repository. */
  text: string | null;
  suffix: string;
  /** Each service after those that it depends on. */
  services: ComposeRelease[];
  /** Services that run once and have ended in this deployment. */
  ended: string[];
  /** Versions of the services before this release, by their names on the engine; null before it began. */
  previous: Record<string, number> | null;
}

/** What a release brings into one of its volumes. */
export interface CarriedFiles {
  /** Where the service has the volume. */
  target: string;
  /** Folder on the host with the files as the commit has them. */
  copy: string;
  commit: string | null;
}

export interface ComposeRelease {
  /** Its name in the compose file. */
  service: string;
  spec: ServiceSpec;
  /** Identifies the content of the image, since its name may mean another image later. */
  imageId: string;
  dependsOn: Dependency[];
  isOneShot: boolean;
  /** How often it is tried again when it runs once and fails; absent: never. */
  retries?: number;
  /** Files of the repository that come into volumes of it. */
  carried?: CarriedFiles[];
}

const release = z.object({
  service: z.string(),
  spec: storedSpec,
  imageId: z.string(),
  dependsOn: z.array(
    z.object({ service: z.string(), condition: z.enum(['started', 'healthy', 'completed']) }),
  ),
  isOneShot: z.boolean(),
  retries: z.number().exactOptional(),
  carried: z
    .array(z.object({ target: z.string(), copy: z.string(), commit: z.string().nullable() }))
    .exactOptional(),
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

/** Leaves out the passwords of registries; they are read again when the release is restored. */
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

/** The services that keep running, unlike those that run once. */
export const keptServices = ({ services }: ComposeSnapshot): ComposeRelease[] =>
  services.filter(({ isOneShot }) => !isOneShot);

/** What the engine keeps running of a release, by the settings that its deployment stored. */
export function specsOfRelease(settings: string | null): ServiceSpec[] {
  const snapshot = readComposeSnapshot({ settings });
  return snapshot ? keptServices(snapshot).map(({ spec }) => spec) : [];
}

/** Names of its services on the engine, by their names in the compose file. */
export const releasedNames = (snapshot: ComposeSnapshot): Record<string, string> =>
  Object.fromEntries(keptServices(snapshot).map(({ service, spec }) => [service, spec.name]));
