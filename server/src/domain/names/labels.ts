/**
 * Every label by which Berth recognizes its things on an engine, named once. The labels that say to which
 * service a thing belongs are `ownerLabels` (service-ref.ts).
 */
import { ownerLabels } from './service-ref.ts';

/**
 * Everything Berth makes on an engine has this label with the value `true`; Berth never changes or removes
 * anything without it.
 */
export const managedLabel = 'berth.managed';

/**
 * Id of the installation that made a thing. A thing with another id is never changed; one without an id was
 * made before there were ids, and belongs to the installation whose records name it.
 */
export const installationLabel = 'berth.installation';

/** Of the proxy's service: the incarnation of the installation that keeps this host, and its data folder. */
export const incarnationLabel = 'berth.incarnation';
export const dataFolderLabel = 'berth.data-folder';

/** Ids of the organization, project and environment that a thing belongs to. */
export const organizationLabel = 'berth.organization';
export const projectLabel = 'berth.project';
export const environmentLabel = 'berth.environment';

/** Of a service of a compose service: its name in the file. */
export const composeServiceLabel = 'berth.service';

/** Of an image: the deployment that built it. */
export const deploymentLabel = 'berth.deployment';

/** Of a service and its containers: the release they belong to (`ServiceSpec.release`). */
export const releaseLabel = 'berth.release';

/** Of a service: the reference of its image before the engine resolved it. */
export const imageLabel = 'berth.image';

/** Of a service or a standing container: the digest of the specification that it was made from. */
export const specLabel = 'berth.spec';

/**
 * Of the temporary service behind `runTask`: `true`, or the name of a one-off command of a person, which no
 * record names.
 */
export const taskLabel = 'berth.task';

/** Of the temporary service behind `runTask`: the run of Berth (from start to end) that waits for it. */
export const instanceLabel = 'berth.instance';

/** The engine's own, on containers of service tasks; the container has the name that the second one says. */
export const taskIdLabel = 'com.docker.swarm.task.id';
export const taskNameLabel = 'com.docker.swarm.task.name';
export const taskServiceLabel = 'com.docker.swarm.service.name';

/** Of a container that Berth makes beside all services: its own name, which no image can know. */
export const containerLabel = 'berth.container';

/** Of an image that Berth built: when it was made. An image made from it has another time, and this label. */
export const builtLabel = 'berth.built';

/** Labels of these prefixes say whose a container is, so an image may not have them. */
export const ownerPrefixes: readonly string[] = ['berth.', 'com.docker.swarm.'];

/** Of a database's service: the port that it publishes. */
export const portLabel = 'berth.port';

/** Of a temporary server that restores or checks a backup: the database, or the run, that it is for. */
export const restoreLabel = 'berth.restore';

/** Of a container that makes or restores a backup: the run. */
export const backupRunLabel = 'berth.backup-run';

/** Of a program that copies the data of a database to another server: the deployment. */
export const moveLabel = 'berth.move';

/** Of what the platform itself runs: its purpose. */
export const roleLabel = 'berth.role';

/** Of a builder: the organization that it builds for. */
export const builderLabel = 'berth.builder';

/** Of a builder: the digest of the specification that its container was made from. */
export const builderSpecLabel = 'berth.builder.spec';

/**
 * An image may carry any label, and its containers inherit each one that their service does not set. So Berth
 * sets all of these on everything it makes, empty where there is no value; no image can then pose as
 * another service. `builderSpecLabel` is not among them: it is read from the builder's own container alone,
 * which runs no image of a tenant. Nor are `containerLabel` and `builtLabel`, which are compared with what no
 * image carries.
 */
export const identityLabels: readonly string[] = [
  managedLabel,
  installationLabel,
  incarnationLabel,
  dataFolderLabel,
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
