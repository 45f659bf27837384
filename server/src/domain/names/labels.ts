/**
 * Every label by which a thing on an engine is known, once. Which service it belongs to say the labels of
 * `ownerLabels` (service-ref.ts).
 */
import { ownerLabels } from './service-ref.ts';

/**
 * Everything Berth makes on an engine bears this label with the value `true`; what does not bear it is never
 * changed or removed.
 */
export const managedLabel = 'berth.managed';

/** Ids of where a thing stands. */
export const organizationLabel = 'berth.organization';
export const projectLabel = 'berth.project';
export const environmentLabel = 'berth.environment';

/** Of a service of a compose service: its name in the file. */
export const composeServiceLabel = 'berth.service';

/** Of an image: the deployment that built it. */
export const deploymentLabel = 'berth.deployment';

/** Of a service and its containers: the release they belong to (`ServiceSpec.release`). */
export const releaseLabel = 'berth.release';

/** Of a service: its image, as it was asked for. */
export const imageLabel = 'berth.image';

/** Of a service or a container that Berth keeps: the digest of what it was made of. */
export const specLabel = 'berth.spec';

/**
 * Of the temporary service behind `runTask`; one that outlived its caller is removed by name like any other.
 */
export const taskLabel = 'berth.task';

/** Of such a service: the run of Berth (one start to its end) that waits for it. */
export const instanceLabel = 'berth.instance';

/** Of a database's service: the port that it publishes. */
export const portLabel = 'berth.port';

/** Of a temporary server beside a database: the database, or the run, that it is for. */
export const restoreLabel = 'berth.restore';

/** Of a container that makes or restores a backup: the run. */
export const backupRunLabel = 'berth.backup-run';

/** Of a program that copies the data of a database to another server: the deployment. */
export const moveLabel = 'berth.move';

/** Of what the platform itself runs: what it is there for. */
export const roleLabel = 'berth.role';

/** Of a builder: the organization that it builds for. */
export const builderLabel = 'berth.builder';

/** Of a builder: the digest of what its container was made of. */
export const builderSpecLabel = 'berth.builder.spec';

/**
 * An image may carry any label, and its container gets those that nobody overrides; so everything that is
 * made here says each of these, with nothing where it has none.
 */
export const identityLabels: readonly string[] = [
  managedLabel,
  organizationLabel,
  projectLabel,
  environmentLabel,
  ...Object.values(ownerLabels),
  composeServiceLabel,
  deploymentLabel,
  releaseLabel,
  imageLabel,
  instanceLabel,
  taskLabel,
  portLabel,
  restoreLabel,
  roleLabel,
  specLabel,
  backupRunLabel,
  moveLabel,
  builderLabel,
  'com.docker.compose.project',
  'com.docker.compose.service',
  'com.docker.stack.namespace',
];
