/**
 * Every table, once: the columns give the row types, the codecs and the queries. The DDL is in migrations.ts;
 * migrations.store.test.ts compares the two, so a new column needs a migration as well.
 */
import type { DeployedKind } from '../domain/names/service-ref.ts';
import type { BranchOrigin } from '../domain/branch-origin.ts';
import type { DatabaseKindName } from '../domain/database-kind.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { ApplicationStatus, DeploymentKind, DeploymentStatus } from '../domain/states/lifecycle.ts';
import type { Role } from '../domain/access/permissions.ts';
import { buildTypes } from '../domain/build-type.ts';
import { certificateTypes } from '../domain/certificates/certificate-type.ts';
import { gitProviderNames } from '../domain/git/git-host.ts';
import { initChoices } from '../domain/init-choice.ts';
import { composeSourceTypes, sourceTypes, triggerTypes } from '../domain/git/source-type.ts';
import * as stored from './stored-records.ts';
import { anything, numberByName, textByName, words } from './values/stored-json.ts';
import {
  boolean,
  choice,
  optionalChoice,
  json,
  number,
  optionalJson,
  optionalNumber,
  optionalSecret,
  optionalText,
  secret,
  secretJson,
  text,
  type RecordOf,
  type StoredRow,
} from './values/column.ts';

const user = { userId: text(), email: text(), name: text(), passwordHash: text(), createdAt: text() };

/** The second factor of a user; it counts once it is confirmed. `lastStep` is the newest that was used. */
const twoFactor = {
  userId: text(),
  secret: secret(),
  createdAt: text(),
  confirmedAt: optionalText(),
  lastStep: number(),
};

const recoveryCode = { codeHash: text(), userId: text() };

const organization = {
  organizationId: text(),
  name: text(),
  createdAt: text(),
  requireTwoFactor: boolean(),
  trusted: boolean(),
  /** The organization whose quota it shares, never itself one that shares; null: a quota of its own. */
  parentOrganizationId: optionalText(),
};

/** Null where the organization may have as much as it likes. */
const quota = {
  organizationId: text(),
  services: optionalNumber(),
  nanoCpus: optionalNumber(),
  memoryBytes: optionalNumber(),
  builds: optionalNumber(),
  backupBytes: optionalNumber(),
  diskBytes: optionalNumber(),
  /** Records of each kind; null: as many as an organization without a quota has. */
  records: optionalNumber(),
};

/** What an organization takes of a server's disk, as it was last measured. */
const quotaDisk = {
  organizationId: text(),
  serverKey: text(),
  bytes: number(),
  measuredAt: text(),
};

/** Services that were stopped since they filled the disk of their machine. Sizes in bytes. */
const diskWriter = {
  kind: text<DeployedKind>(),
  serviceId: text(),
  serverKey: text(),
  grownBytes: number(),
  freeBytes: number(),
  keptBytes: number(),
  /** Since when it had grown. */
  since: text(),
  stoppedAt: text(),
};

/** Containers that should have ended and go on, each with when that was first seen (ms). */
const leavingContainer = {
  serverKey: text(),
  containerId: text(),
  since: number(),
};

/** What runs of a service on a server beside what records say: all of it when its record is gone. */
const quotaLeft = {
  serverKey: text(),
  serviceId: text(),
  organizationId: text(),
  /** Whether the service has its record. */
  isRecorded: boolean(),
  nanoCpus: number(),
  memoryBytes: number(),
};

/** What a deployment under way takes of its organization's quota. */
const quotaClaim = {
  deploymentId: text(),
  organizationId: text(),
  serviceId: text(),
  name: text(),
  nanoCpus: optionalNumber(),
  memoryBytes: optionalNumber(),
};

const member = {
  memberId: text(),
  organizationId: text(),
  userId: text(),
  role: text<Role>(),
  grants: json(stored.grants),
  createdAt: text(),
};

const session = {
  sessionId: text(),
  tokenHash: text(),
  userId: text(),
  organizationId: text(),
  createdAt: text(),
  expiresAt: number(),
  ip: text(),
  userAgent: text(),
};

const apiKey = {
  apiKeyId: text(),
  keyHash: text(),
  userId: text(),
  organizationId: text(),
  name: text(),
  prefix: optionalText(),
  start: text(),
  enabled: boolean(),
  createdAt: text(),
  createdAtMs: number(),
  expiresAt: optionalNumber(),
  lastRequestAt: optionalNumber(),
  rateLimitEnabled: boolean(),
  rateLimitTimeWindow: optionalNumber(),
  rateLimitMax: optionalNumber(),
  windowStart: optionalNumber(),
  windowCount: number(),
  remaining: optionalNumber(),
  refillAmount: optionalNumber(),
  refillInterval: optionalNumber(),
  refillsApplied: number(),
  permissions: optionalJson(stored.wordsByName),
};

const project = {
  projectId: text(),
  /** See domain/states/revision.ts. */
  revision: number(),
  organizationId: text(),
  name: text(),
  description: text(),
  env: secret(),
  baseDomain: optionalText(),
  createdAt: text(),
};

const environment = {
  environmentId: text(),
  revision: number(),
  organizationId: text(),
  projectId: text(),
  name: text(),
  description: text(),
  env: secret(),
  isDefault: boolean(),
  networkIndex: optionalNumber(),
  createdAt: text(),
};

const application = {
  applicationId: text(),
  revision: number(),
  organizationId: text(),
  environmentId: text(),
  name: text(),
  appName: text(),
  description: text(),
  sourceType: choice(sourceTypes),
  buildType: choice(buildTypes),
  applicationStatus: text<ApplicationStatus>(),
  replicas: number(),
  env: secret(),
  buildArgs: optionalSecret(),
  buildSecrets: optionalSecret(),
  createEnvFile: boolean(),
  memoryLimit: optionalText(),
  memoryReservation: optionalText(),
  cpuLimit: optionalText(),
  cpuReservation: optionalText(),
  pidsLimit: optionalNumber(),
  repository: optionalText(),
  owner: optionalText(),
  branch: optionalText(),
  buildPath: text(),
  dockerfile: text(),
  containerContextPath: optionalText(),
  containerBuildStage: optionalText(),
  publishDirectory: optionalText(),
  isStaticSpa: boolean(),
  customGitUrl: optionalText(),
  customGitBranch: optionalText(),
  customGitBuildPath: text(),
  customGitSSHKeyId: optionalText(),
  customGitUsername: optionalText(),
  customGitPassword: optionalSecret(),
  enableSubmodules: boolean(),
  containerImage: optionalText(),
  registryUrl: optionalText(),
  username: optionalText(),
  password: optionalSecret(),
  registryId: optionalText(),
  autoDeploy: boolean(),
  refreshToken: text(),
  watchPaths: json(words),
  triggerType: choice(triggerTypes),
  cleanCache: boolean(),
  healthCheck: optionalJson(stored.healthCheck),
  updateOrder: text(),
  placement: json(words),
  labels: json(textByName),
  networks: json(words),
  stopGracePeriod: optionalNumber(),
  init: choice(initChoices),
  rollbackActive: boolean(),
  preReleaseCommand: optionalJson(words),
  postReleaseCommand: optionalJson(words),
  command: optionalText(),
  args: json(words),
  serverId: optionalText(),
  buildServerId: optionalText(),
  githubId: optionalText(),
  previewEnv: optionalSecret(),
  previewBuildArgs: optionalSecret(),
  previewBuildSecrets: optionalSecret(),
  previewWildcard: optionalText(),
  previewPort: number(),
  previewPath: text(),
  previewHttps: boolean(),
  previewCertificateType: choice(certificateTypes),
  previewCustomCertResolver: optionalText(),
  previewLimit: number(),
  previewLabels: json(words),
  isPreviewDeploymentsActive: boolean(),
  previewRequireCollaboratorPermissions: boolean(),
  uploadPath: optionalText(),
  liveDeploymentId: optionalText(),
  releasedAppName: optionalText(),
  /** Where its image listens by what it exposes; null before the first release. */
  shownPort: optionalNumber(),
  isStopped: boolean(),
  createdAt: text(),
  webhookSecret: optionalSecret(),
  gitHost: optionalText(),
  /** What the engine calls volumes that a restore made, by their names within the service. */
  restoredVolumes: json(textByName),
  /** See domain/secret-env.ts; empty for none. */
  secretEnv: secret(),
  previewSecretEnv: secret(),
  /** Names of its own variables that previews get. */
  previewInherits: json(words),
  previewDatabases: secretJson(stored.previewDatabases),
};

const deployment = {
  deploymentId: text(),
  organizationId: text(),
  applicationId: optionalText(),
  databaseId: optionalText(),
  composeId: optionalText(),
  previewDeploymentId: optionalText(),
  kind: text<DeploymentKind>(),
  title: text(),
  description: text(),
  status: text<DeploymentStatus>(),
  stage: optionalText(),
  commit: optionalText(),
  /** Commit of the push that asked for the newest one of its branch. */
  pushedCommit: optionalText(),
  /** First line of its message, its author, and the branch that it was taken from. */
  commitInfo: optionalJson(stored.commitInfo),
  /** What Berth's own builder wrote for it. */
  ownBuild: optionalJson(stored.ownBuild),
  /** Of a source with several: what buildPath may be. */
  sourceApplications: optionalJson(stored.sourceApplications),
  image: optionalText(),
  errorMessage: optionalText(),
  settings: optionalSecret(),
  sourceDeploymentId: optionalText(),
  startedBy: optionalJson(stored.starter),
  /** In their order; null before the first. */
  stages: optionalJson(stored.stages),
  child: optionalJson(stored.child),
  previousVersion: optionalNumber(),
  /** Whether it builds without what earlier builds left. */
  withoutCache: boolean(),
  /** Keys of the servers of a move. */
  moveFrom: optionalText(),
  moveTo: optionalText(),
  createdAt: text(),
  startedAt: optionalText(),
  healthyAt: optionalText(),
  finishedAt: optionalText(),
  sequence: number(),
};

const job = {
  jobId: text(),
  kind: text(),
  payload: json(textByName),
  serviceKey: text(),
  serverKey: text(),
  state: text<'queued' | 'running' | 'done' | 'cancelled'>(),
  attempts: number(),
  worker: optionalText(),
  leaseUntil: number(),
  slot: text<'none' | 'waiting' | 'held'>(),
  buildServerKey: optionalText(),
  organizationId: optionalText(),
  sequence: number(),
  createdAt: text(),
};

const domain = {
  domainId: text(),
  organizationId: text(),
  host: text(),
  asciiHost: text(),
  path: text(),
  /** The one that counts. */
  port: number(),
  /** The one that somebody gave; null: it follows the service. */
  ownPort: optionalNumber(),
  https: boolean(),
  certificateType: choice(certificateTypes),
  customCertResolver: optionalText(),
  applicationId: optionalText(),
  composeId: optionalText(),
  serviceName: optionalText(),
  domainType: text<'application' | 'compose' | 'preview'>(),
  previewDeploymentId: optionalText(),
  internalPath: text(),
  stripPath: boolean(),
  uniqueConfigKey: number(),
  serverKey: text(),
  createdAt: text(),
  hstsMaxAge: optionalNumber(),
  requestHeaders: json(textByName),
  maxBodyBytes: optionalNumber(),
  allowedAddresses: json(words),
  deniedAddresses: json(words),
  maintenance: boolean(),
  maintenancePage: optionalText(),
  errorPages: json(textByName),
  responseHeaders: json(textByName),
  compression: boolean(),
  trustedProxies: optionalJson(words),
  /** Path of the service that says which host names of its customers are served as well; null: none. */
  allowOnDemand: optionalText(),
  /** The domain whose service allowed this one; null: a person made it. */
  onDemandOf: optionalText(),
};

const port = {
  portId: text(),
  organizationId: text(),
  applicationId: text(),
  publishedPort: number(),
  targetPort: number(),
  protocol: text<'tcp' | 'udp'>(),
  publishMode: text<'ingress' | 'host'>(),
  serverKey: text(),
  createdAt: text(),
};

const mount = {
  mountId: text(),
  organizationId: text(),
  type: text<'bind' | 'volume' | 'file'>(),
  hostPath: optionalText(),
  volumeName: optionalText(),
  filePath: optionalText(),
  content: optionalSecret(),
  mountPath: text(),
  serviceType: text(),
  applicationId: optionalText(),
  createdAt: text(),
  databaseId: optionalText(),
  composeId: optionalText(),
  /** Of a bind: who let it reach the machine, and for what. */
  approval: optionalJson(stored.approval),
  /** Of a file: its content is never read back. */
  isSecret: boolean(),
};

const sshKey = {
  sshKeyId: text(),
  organizationId: text(),
  name: text(),
  description: text(),
  publicKey: text(),
  privateKey: secret(),
  fingerprint: text(),
  createdAt: text(),
};

const registry = {
  registryId: text(),
  organizationId: text(),
  name: text(),
  registryUrl: text(),
  username: text(),
  password: secret(),
  imagePrefix: text(),
  createdAt: text(),
};

/** A catalogue of templates of an organization's own. */
const templateCatalogue = {
  templateCatalogueId: text(),
  organizationId: text(),
  name: text(),
  url: text(),
  branch: text(),
  folder: text(),
  username: optionalText(),
  password: optionalSecret(),
  commit: optionalText(),
  readAt: optionalText(),
  /** When somebody last began to read it (ms). */
  lookedAt: number(),
  templateCount: number(),
  leftOut: json(stored.leftOutTemplates),
  lastError: optionalText(),
  createdAt: text(),
};

const catalogueTemplate = {
  templateCatalogueId: text(),
  organizationId: text(),
  name: text(),
  title: text(),
  description: text(),
  website: text(),
  tags: json(words),
  icon: optionalText(),
  images: json(words),
  /** Of what is kept of it with a service, by which a newer one is told. */
  digest: text(),
  /** As template.one answers it. */
  definition: json(anything),
};

const setting = { name: text(), value: json(anything) };

const audit = {
  auditId: text(),
  organizationId: text(),
  at: text(),
  userId: optionalText(),
  apiKeyId: optionalText(),
  procedure: text(),
  resourceId: optionalText(),
  outcome: text(),
  ip: text(),
};

/**
 * Names in use in the installation, whatever the kind of service: its present one and the one it still runs
 * under.
 */
const serviceName = {
  nameKey: text(),
  serviceId: text(),
  /** Names that begin with it and `_` are its holder's, too. */
  isStem: boolean(),
};

/** The installation that this database is the state of: one row, made with the database. */
const installation = { installationId: text(), incarnationId: text(), createdAt: text() };

/** Every life of the installation: the first, and one for each restore. */
const incarnation = {
  incarnationId: text(),
  cause: text<'created' | 'upgraded' | 'restored'>(),
  startedAt: text(),
  endedAt: optionalText(),
};

/** Things without an id of an installation that the records of this one named. */
const adoptedThing = { serverKey: text(), kind: text<'network'>(), name: text(), since: text() };

/** Things with the id of this installation that none of its records names. */
const unknownThing = {
  serverKey: text(),
  kind: text<'service'>(),
  name: text(),
  engineId: text(),
  owner: text(),
  seenAt: text(),
  /** When it goes by itself; null: only when a person removes it. */
  removedAt: optionalText(),
};

/** Deletions that removed a service whose containers go on; its record stays until they have ended. */
const unfinishedDeletion = {
  serviceId: text(),
  kind: text<'application' | 'database' | 'compose'>(),
  organizationId: text(),
  serverKey: text(),
  name: text(),
  deleteVolumes: boolean(),
  /** Who asked for it. */
  userId: text(),
  since: text(),
  reason: text(),
  triedAt: text(),
  tries: number(),
};

/** Services of the platform's own on the engine of a server, by their names there. */
const platformService = { serverKey: text(), name: text(), engineId: text() };

/** Services of the five database kinds; `kind` tells which. */
const database = {
  databaseId: text(),
  revision: number(),
  kind: text<DatabaseKindName>(),
  organizationId: text(),
  environmentId: text(),
  name: text(),
  appName: text(),
  description: text(),
  databaseName: optionalText(),
  databaseUser: optionalText(),
  databasePassword: secret(),
  databaseRootPassword: optionalSecret(),
  containerImage: text(),
  replicaSets: boolean(),
  serverId: optionalText(),
  applicationStatus: text<ApplicationStatus>(),
  memoryLimit: optionalText(),
  memoryReservation: optionalText(),
  cpuLimit: optionalText(),
  cpuReservation: optionalText(),
  pidsLimit: optionalNumber(),
  command: optionalText(),
  args: json(words),
  env: secret(),
  externalPort: optionalNumber(),
  releasedAppName: optionalText(),
  isStopped: boolean(),
  createdAt: text(),
  liveDeploymentId: optionalText(),
  dataVolume: text(),
  dataVersion: optionalText(),
  formerVolumes: json(stored.formerVolumes),
  /** Of the preview that it was made for and goes with; null for one that stands on its own. */
  previewDeploymentId: optionalText(),
};

const compose = {
  composeId: text(),
  revision: number(),
  organizationId: text(),
  environmentId: text(),
  name: text(),
  appName: text(),
  description: text(),
  serverId: optionalText(),
  composeType: text<'compose' | 'stack'>(),
  sourceType: choice(composeSourceTypes),
  composeFile: secret(),
  composePath: text(),
  env: secret(),
  createEnvFile: boolean(),
  composeStatus: text<ApplicationStatus>(),
  refreshToken: text(),
  autoDeploy: boolean(),
  randomize: boolean(),
  suffix: text(),
  repository: optionalText(),
  owner: optionalText(),
  branch: optionalText(),
  gitHost: optionalText(),
  githubId: optionalText(),
  customGitUrl: optionalText(),
  customGitBranch: optionalText(),
  customGitSSHKeyId: optionalText(),
  customGitUsername: optionalText(),
  customGitPassword: optionalSecret(),
  enableSubmodules: boolean(),
  watchPaths: json(words),
  triggerType: choice(triggerTypes),
  webhookSecret: optionalSecret(),
  releasedAppName: optionalText(),
  isStopped: boolean(),
  createdAt: text(),
  liveDeploymentId: optionalText(),
  releasedSuffix: text(),
  networkIndex: optionalNumber(),
  /** What the engine calls the services of the live release, by their names in the file. */
  releasedServices: optionalJson(textByName),
  approval: optionalJson(stored.approval),
  /** What its newest deployment asks of the machine without an approval. */
  awaitsApproval: optionalJson(stored.awaitedApproval),
  /** What the engine calls volumes that a restore made, by their names within the service. */
  restoredVolumes: json(textByName),
  /** See domain/secret-env.ts; empty for none. */
  secretEnv: secret(),
  previewWildcard: optionalText(),
  previewLimit: number(),
  previewLabels: json(words),
  previewEnv: optionalSecret(),
  previewSecretEnv: secret(),
  /** Names of its own variables that previews get. */
  previewInherits: json(words),
  previewDatabases: secretJson(stored.previewDatabases),
  isPreviewDeploymentsActive: boolean(),
  previewRequireCollaboratorPermissions: boolean(),
  /** Set for the copy that is the preview of a pull request of another compose service. */
  previewOf: optionalJson(stored.previewOf),
  /** The template as it was when the service got its file from it; null for others. */
  madeFrom: optionalJson(stored.madeFrom),
};

const server = {
  serverId: text(),
  organizationId: text(),
  name: text(),
  description: optionalText(),
  ipAddress: text(),
  port: number(),
  username: text(),
  sshKeyId: optionalText(),
  serverType: text<'deploy' | 'build'>(),
  status: text<'active' | 'inactive'>(),
  hostKeyFingerprint: optionalText(),
  setupStatus: text<'idle' | 'running' | 'done' | 'error'>(),
  setupStage: optionalText(),
  setupError: optionalText(),
  buildsConcurrency: number(),
  metricsConfig: optionalJson(stored.metricsConfig),
  metricsToken: optionalSecret(),
  /** Server whose cluster it is a node of; null while it has a swarm of its own. */
  clusterServerId: optionalText(),
  /** Its node there. */
  swarmNodeId: optionalText(),
  trusted: boolean(),
  /** When its address, port or host key last became another one: what ran before did not run there. */
  machineSince: optionalText(),
  baseDomain: optionalText(),
  createdAt: text(),
};

const destination = {
  destinationId: text(),
  organizationId: text(),
  name: text(),
  provider: text<'s3' | 'local' | 'sftp' | 'azure' | 'gcs' | 'b2'>(),
  accessKey: secret(),
  secretAccessKey: secret(),
  bucket: text(),
  region: text(),
  endpoint: text(),
  path: text(),
  createdAt: text(),
  hostKey: text(),
  /** Public keys of age that what is stored there is encrypted for. */
  recipients: json(words),
  /** Private keys that open it, as `age-keygen` writes them; null: none. */
  identities: optionalSecret(),
};

/**
 * What is backed up by schedule: a database, or this Berth itself (`installation`). `nextRunAt` and
 * `nextVerifyAt` are epoch milliseconds; null: not counted yet.
 */
const backup = {
  backupId: text(),
  organizationId: text(),
  /** `stream`: a PostgreSQL server with its write-ahead log. */
  sourceType: choice(['database', 'installation', 'volume', 'stream']),
  databaseId: optionalText(),
  databaseType: optionalText<DatabaseKindName>(),
  database: text(),
  destinationId: text(),
  schedule: text(),
  timeZone: text(),
  prefix: text(),
  enabled: boolean(),
  keepLatestCount: optionalNumber(),
  nextRunAt: optionalNumber(),
  verifySchedule: optionalText(),
  nextVerifyAt: optionalNumber(),
  alarmAfterHours: optionalNumber(),
  alarmSince: optionalText(),
  lastGoodAt: optionalText(),
  sealedKey: optionalText(),
  createdAt: text(),
  applicationId: optionalText(),
  composeId: optionalText(),
  /** For a volume: its name within the service. */
  volumeName: optionalText(),
  /** Of a volume: what becomes of its service while it is read. */
  serviceDuring: optionalText<ServiceDuring>(),
  /** Of a stream: for how many days every moment can be restored. */
  keepDays: optionalNumber(),
};

/** Segments of a write-ahead log without a hole, with what is known of its server. Positions in bytes. */
const walSpan = {
  walSpanId: text(),
  backupId: text(),
  organizationId: text(),
  destinationId: text(),
  /** Where its segments are stored. */
  folder: text(),
  dataVolume: text(),
  serverKey: text(),
  systemId: text(),
  timeline: number(),
  segmentBytes: number(),
  /** The oldest that is kept. */
  firstSegment: number(),
  nextSegment: number(),
  /** Everything committed until `restorableTo` stands before it. */
  position: optionalNumber(),
  restorableTo: optionalText(),
  /** Of the segments that are kept, as they lie at the destination. */
  storedBytes: number(),
  createdAt: text(),
  endedAt: optionalText(),
  endReason: optionalText(),
  recipients: json(words),
};

/** How far the log of a span had come at a moment. */
const walMark = { walSpanId: text(), at: text(), position: number(), nextSegment: number() };

/** A copy of all files of a server, from which its log can be replayed. */
const baseBackup = {
  backupRunId: text(),
  walSpanId: text(),
  firstSegment: number(),
  restorableFrom: text(),
};

/** A database that was filled from what is stored of another one. */
const databaseBranch = {
  databaseId: text(),
  organizationId: text(),
  /** Null once the source is removed. */
  sourceId: optionalText(),
  sourceName: text(),
  /** The run that fills it. */
  backupRunId: text(),
  /** The moment that its data are of (ISO 8601). */
  asOf: text(),
  /** Statements that mask its data before anybody reaches it. */
  mask: optionalSecret(),
  /** When its data were complete and masked; before that it cannot be deployed. */
  filledAt: optionalText(),
  createdBy: text(),
  createdAt: text(),
  /** In epoch milliseconds. */
  expiresAt: optionalNumber(),
  /** When its end was announced. */
  warnedAt: optionalText(),
  /** What fills it. */
  origin: text<BranchOrigin>(),
};

/** What becomes of a service while one of its volumes is read. */
export type ServiceDuring = 'running' | 'paused' | 'stopped';

/** One backup, restore or verification: its steps and what came of them. */
const backupRun = {
  backupRunId: text(),
  organizationId: text(),
  operation: text<'backup' | 'restore' | 'verification' | 'return' | 'branch'>(),
  backupId: optionalText(),
  databaseId: optionalText(),
  startedBy: text<'schedule' | 'person'>(),
  destinationId: text(),
  path: text(),
  database: text(),
  status: text<'queued' | 'running' | 'done' | 'error'>(),
  steps: json(stored.runSteps),
  bytes: optionalNumber(),
  storedBytes: optionalNumber(),
  checksum: optionalText(),
  isStored: boolean(),
  previousVolume: optionalText(),
  errorCode: optionalText<ErrorCode>(),
  errorMessage: optionalText(),
  createdAt: text(),
  startedAt: optionalText(),
  finishedAt: optionalText(),
  sequence: number(),
  applicationId: optionalText(),
  composeId: optionalText(),
  volumeName: optionalText(),
  held: optionalJson(stored.heldService),
  previousDatabase: optionalText(),
  restoredAt: optionalText(),
  shape: optionalText(),
  leftOut: optionalJson(words),
  /** Of a restore to a moment: which (ISO 8601). */
  moment: optionalText(),
  /** Public keys that its object is encrypted for. */
  recipients: json(words),
  /** Of a restore: a private key that it was given, until it ends. */
  identity: optionalSecret(),
};

const certificate = {
  certificateId: text(),
  organizationId: text(),
  name: text(),
  certificateData: text(),
  privateKey: secret(),
  serverId: optionalText(),
  notBefore: text(),
  expirationDate: text(),
  commonName: text(),
  subjectAlternativeNames: json(words),
  issuer: text(),
  createdAt: text(),
};

const certificateResolver = {
  certificateResolverId: text(),
  organizationId: text(),
  name: text(),
  directoryUrl: text(),
  email: text(),
  rootCertificates: optionalText(),
  eabKeyId: optionalText(),
  eabHmacKey: optionalSecret(),
  createdAt: text(),
};

/** Accounts at DNS providers, by which names are proved to authorities. */
const dnsProvider = {
  dnsProviderId: text(),
  organizationId: text(),
  name: text(),
  kind: text(),
  /** JSON of the kind's settings, its credential among them. */
  settings: secret(),
  lastUsedAt: optionalText(),
  lastError: optionalText(),
  lastErrorAt: optionalText(),
  createdAt: text(),
};

/** TXT records that are set, or may be: written down before they are set, until they are removed. */
const dnsChallenge = {
  dnsChallengeId: text(),
  organizationId: text(),
  dnsProviderId: text(),
  name: text(),
  text: text(),
  attempts: number(),
  /** Epoch ms. */
  removeAt: number(),
  createdAt: text(),
};

/** Names whose records Berth has set at a DNS provider: written down before they change. */
const dnsRecord = {
  dnsRecordId: text(),
  organizationId: text(),
  dnsProviderId: text(),
  name: text(),
  /** Each as type and value. */
  wanted: json(words),
  /** Its records are to go, and it with them. */
  isRemoved: boolean(),
  /** Failed attempts at the present change. */
  attempts: number(),
  error: optionalText(),
  /** Epoch ms at which the change is tried again; null once it is made. */
  nextAt: optionalNumber(),
  /** Epoch ms until which nothing has to need it. */
  keptUntil: number(),
  createdAt: text(),
};

/** Certificates that Berth asks for by itself, and renews. */
const certificateOrder = {
  certificateOrderId: text(),
  organizationId: text(),
  name: text(),
  names: json(words),
  dnsProviderId: text(),
  /** Null: the authority of the settings. */
  certificateResolverId: optionalText(),
  serverId: optionalText(),
  /** The one that was issued last; null before the first. */
  certificateId: optionalText(),
  status: text<'waiting' | 'issued' | 'failed'>(),
  error: optionalText(),
  /** Failed ones since the last success. */
  attempts: number(),
  /** Epoch ms of the next attempt or renewal. */
  nextAt: number(),
  issuedAt: optionalText(),
  /** Ordered by Berth itself, for a base domain or a wildcard domain. */
  isAutomatic: boolean(),
  createdAt: text(),
  /** The process that asks now, and until when nobody else does (ms). */
  leaseHolder: optionalText(),
  leaseUntil: number(),
};

/** Keys of accounts at ACME authorities, one for each organization. */
const acmeAccount = {
  acmeAccountId: text(),
  organizationId: text(),
  directoryUrl: text(),
  /** Of the external account binding; empty without one. */
  eabKeyId: text(),
  privateKey: secret(),
  createdAt: text(),
};

const redirect = {
  redirectId: text(),
  organizationId: text(),
  applicationId: text(),
  regex: text(),
  replacement: text(),
  permanent: boolean(),
  createdAt: text(),
};

const basicAuth = {
  basicAuthId: text(),
  organizationId: text(),
  applicationId: text(),
  username: text(),
  passwordHash: text(),
  createdAt: text(),
};

/** Which host tells of its pull request; none of one that was made by hand. */
export const previewProviders = [...gitProviderNames, 'none'] as const;

const previewDeployment = {
  previewDeploymentId: text(),
  organizationId: text(),
  applicationId: text(),
  /** Empty for one of a commit or an image alone. */
  branch: text(),
  /** Null for one that was made by hand, which has a name. */
  pullRequestNumber: optionalNumber(),
  name: optionalText(),
  /** Runs in place of what is built; made by hand only. */
  image: optionalText(),
  /** Made by hand only. */
  expiresAt: optionalText(),
  domain: text(),
  domainId: optionalText(),
  status: text<'building' | 'running' | 'error' | 'stopped'>(),
  createdAt: text(),
  appName: text(),
  commit: optionalText(),
  repository: text(),
  provider: choice(previewProviders),
  isTrusted: boolean(),
  /** Its commits come from another repository. */
  isFork: boolean(),
  liveDeploymentId: optionalText(),
  releasedAppName: optionalText(),
  isStopped: boolean(),
  commentId: optionalText(),
  commentDigest: optionalText(),
};

/** Previews of compose services: each is a compose service of its own, whose composeId is this id. */
const composePreview = {
  previewDeploymentId: text(),
  organizationId: text(),
  /** The compose service that it is a preview of. */
  composeId: text(),
  branch: text(),
  /** Null for one that was made by hand, which has a name. */
  pullRequestNumber: optionalNumber(),
  name: optionalText(),
  /** Made by hand only. */
  expiresAt: optionalText(),
  /** Address of its first domain; empty where the compose service has no domain. */
  domain: text(),
  createdAt: text(),
  commit: optionalText(),
  repository: text(),
  provider: choice(previewProviders),
  isTrusted: boolean(),
  /** Its commits come from another repository. */
  isFork: boolean(),
  commentId: optionalText(),
  commentDigest: optionalText(),
};

const invitation = {
  invitationId: text(),
  organizationId: text(),
  email: text(),
  role: text<Role>(),
  grants: json(stored.grants),
  tokenHash: text(),
  invitedBy: text(),
  status: text<'pending' | 'accepted' | 'revoked'>(),
  expiresAt: number(),
  createdAt: text(),
};

/** Links to git hosts; services name theirs as githubId. Addresses are those of the host and of its API. */
const gitProvider = {
  gitProviderId: text(),
  organizationId: text(),
  provider: choice(gitProviderNames),
  name: text(),
  createdAt: text(),
  baseUrl: text(),
  apiUrl: text(),
  appId: optionalText(),
  installationId: optionalText(),
  username: optionalText(),
  privateKey: optionalSecret(),
  webhookSecret: optionalSecret(),
  accessToken: optionalSecret(),
};

/** Deliveries of webhooks that were answered, so that none is answered twice. */
const webhookDelivery = { deliveryKey: text(), receivedAt: text() };

/** The newest state that a pull request was told to have, also once its preview is gone. */
const pullRequestState = {
  applicationId: optionalText(),
  composeId: optionalText(),
  /** Full name in lower case. */
  repository: text(),
  number: number(),
  action: text<'open' | 'close'>(),
  updatedAt: text(),
};

/** A pull request that gets no preview before a person approves its commit, and the commit approved last. */
const heldPullRequest = {
  applicationId: optionalText(),
  composeId: optionalText(),
  organizationId: text(),
  number: number(),
  provider: choice(gitProviderNames),
  /** As the host told of it. */
  event: json(stored.heldEvent),
  /** The newest, whole. */
  commit: text(),
  /** Why it waits. */
  reason: text(),
  heldAt: text(),
  approvedCommit: optionalText(),
  /** Id of the user. */
  approvedBy: optionalText(),
  approvedAt: optionalText(),
  /** The approved commit gets the variables and secrets of previews. */
  hasVariables: boolean(),
};

/** What came of a delivery of a git host to a service; `events` as they were read, to be judged again. */
const hookDelivery = {
  webhookDeliveryId: text(),
  organizationId: text(),
  applicationId: optionalText(),
  composeId: optionalText(),
  provider: optionalChoice(gitProviderNames),
  hostDeliveryId: optionalText(),
  summary: text(),
  outcome: text<'queued' | 'skipped' | 'duplicate' | 'refused'>(),
  reason: optionalText(),
  deploymentId: optionalText(),
  events: optionalJson(stored.hookEvents),
  source: text<'signed' | 'unsigned'>(),
  replayOf: optionalText(),
  receivedAt: text(),
  sequence: number(),
};

/**
 * What became of a host's certificate of an ACME authority; `authority` as the proxy's folders name it, empty
 * when the host's own DNS refused it. Times in ms.
 */
const issuance = {
  serverKey: text(),
  host: text(),
  authority: text(),
  status: text<'issued' | 'failed'>(),
  issuer: optionalText(),
  expiresAt: optionalNumber(),
  warnAt: optionalNumber(),
  error: optionalText(),
  attempts: number(),
  nextAt: number(),
  changedAt: text(),
};

/** Files of the proxy's store, in case it is lost: certificates with their keys, accounts. */
const proxyFile = {
  serverKey: text(),
  path: text(),
  host: optionalText(),
  content: secret(),
  expiresAt: optionalNumber(),
};

/**
 * Requests of a domain within a minute (`minute` in ms): how many by status, how many by bucket of duration,
 * bytes answered.
 */
const requestMinute = {
  domainId: text(),
  minute: number(),
  statuses: json(numberByName),
  durations: json(numberByName),
  bytes: number(),
};

/** The position of the newest event: one row. */
const eventHead = { headId: number(), position: number() };

/** What happened, kept a quarter of an hour (decisions 14); `at` in epoch milliseconds. */
const event = {
  position: number(),
  at: number(),
  /** Null for what concerns the whole installation. */
  organizationId: optionalText(),
  projectId: optionalText(),
  environmentId: optionalText(),
  serviceId: optionalText(),
  /** Where it stood before, when it was moved. */
  formerProjectId: optionalText(),
  formerEnvironmentId: optionalText(),
  /** Of what belongs to one person. */
  userId: optionalText(),
  kind: text(),
  what: text<'created' | 'updated' | 'removed' | 'deployment' | 'condition' | 'alarm'>(),
  resourceId: text(),
  status: optionalText(),
  stage: optionalText(),
};

/** What the organization last got from a registry, or gave to one, under this very reference. */
const imagePull = {
  organizationId: text(),
  serverKey: text(),
  reference: text(),
  imageId: text(),
  pulledAt: text(),
};

/** A command that a service runs by the clock. `nextRunAt` in ms; null while it is switched off. */
const schedule = {
  scheduleId: text(),
  organizationId: text(),
  applicationId: optionalText(),
  composeId: optionalText(),
  /** Of a compose service, as its file has it. */
  serviceName: optionalText(),
  name: text(),
  cron: text(),
  timeZone: text(),
  command: json(words),
  limitMinutes: number(),
  enabled: boolean(),
  nextRunAt: optionalNumber(),
  createdAt: text(),
};

const scheduleRun = {
  scheduleRunId: text(),
  scheduleId: text(),
  organizationId: text(),
  startedBy: text<'schedule' | 'person'>(),
  status: text<'queued' | 'running' | 'done' | 'error' | 'missed'>(),
  exitCode: optionalNumber(),
  errorMessage: optionalText(),
  dueAt: text(),
  createdAt: text(),
  startedAt: optionalText(),
  finishedAt: optionalText(),
  sequence: number(),
  /** What it takes of the organization's quota while it runs; null: no limit. */
  nanoCpus: optionalNumber(),
  memoryBytes: optionalNumber(),
};

/**
 * Something that is wrong, since when and until when; the service's place is kept, so that each member sees
 * what is theirs.
 */
const alarm = {
  alarmId: text(),
  organizationId: text(),
  kind: text(),
  subjectType: text(),
  subjectId: text(),
  subjectName: text(),
  sentence: text(),
  projectId: optionalText(),
  environmentId: optionalText(),
  serviceId: optionalText(),
  begunAt: text(),
  endedAt: optionalText(),
  acknowledgedAt: optionalText(),
  acknowledgedBy: optionalText(),
  /** How often it began: one that comes and goes is one row. */
  times: number(),
};

/** A channel that is told of events. `settings` are the channel's own, as JSON. */
const notification = {
  notificationId: text(),
  organizationId: text(),
  name: text(),
  channel: text(),
  enabled: boolean(),
  events: json(words),
  settings: secret(),
  lastSentAt: optionalText(),
  lastError: optionalText(),
  lastErrorAt: optionalText(),
  createdAt: text(),
  /** The process that sends to it now, and until when nobody else does (ms). */
  leaseHolder: optionalText(),
  leaseUntil: number(),
};

/**
 * A message that waits for its channel or went there. Times in ms: `opensAt` is when the minutes begin in
 * which its group is not told again, `dueAt` when it may go, `nextAt` when it is tried next.
 */
const notificationDelivery = {
  deliveryId: text(),
  notificationId: text(),
  organizationId: text(),
  factGroup: text(),
  isSummary: boolean(),
  notice: json(stored.notice),
  state: text<'queued' | 'sent' | 'given up'>(),
  attempts: number(),
  opensAt: number(),
  dueAt: number(),
  nextAt: number(),
  sequence: number(),
};

/** Where the output of services goes besides Berth. */
const logDrain = {
  logDrainId: text(),
  organizationId: text(),
  projectId: optionalText(),
  name: text(),
  type: text<'syslogTcp' | 'syslogUdp' | 'loki'>(),
  address: text(),
  username: optionalText(),
  password: optionalSecret(),
  enabled: boolean(),
  sent: number(),
  dropped: number(),
  lastSentAt: optionalText(),
  lastError: optionalText(),
  lastErrorAt: optionalText(),
  createdAt: text(),
  /** The process that sends now, and until when nobody else does (ms). */
  leaseHolder: optionalText(),
  leaseUntil: number(),
};

export const tables = {
  log_drain: logDrain,
  schedule,
  schedule_run: scheduleRun,
  alarm,
  notification,
  notification_delivery: notificationDelivery,
  quota,
  quota_claim: quotaClaim,
  quota_disk: quotaDisk,
  quota_left: quotaLeft,
  disk_writer: diskWriter,
  leaving_container: leavingContainer,
  user,
  two_factor: twoFactor,
  recovery_code: recoveryCode,
  organization,
  member,
  session,
  api_key: apiKey,
  project,
  environment,
  application,
  deployment,
  job,
  domain,
  port,
  mount,
  ssh_key: sshKey,
  registry,
  template_catalogue: templateCatalogue,
  catalogue_template: catalogueTemplate,
  setting,
  audit,
  service_name: serviceName,
  platform_service: platformService,
  installation,
  incarnation,
  adopted_thing: adoptedThing,
  unknown_thing: unknownThing,
  unfinished_deletion: unfinishedDeletion,
  database,
  compose,
  server,
  destination,
  backup,
  backup_run: backupRun,
  wal_span: walSpan,
  wal_mark: walMark,
  base_backup: baseBackup,
  database_branch: databaseBranch,
  certificate,
  certificate_resolver: certificateResolver,
  dns_provider: dnsProvider,
  dns_challenge: dnsChallenge,
  dns_record: dnsRecord,
  certificate_order: certificateOrder,
  acme_account: acmeAccount,
  redirect,
  basic_auth: basicAuth,
  preview_deployment: previewDeployment,
  compose_preview: composePreview,
  invitation,
  git_provider: gitProvider,
  issuance,
  proxy_file: proxyFile,
  request_minute: requestMinute,
  webhook_delivery: webhookDelivery,
  pull_request_state: pullRequestState,
  held_pull_request: heldPullRequest,
  hook_delivery: hookDelivery,
  image_pull: imagePull,
  event_head: eventHead,
  event,
};

export type Tables = { [T in keyof typeof tables]: StoredRow<(typeof tables)[T]> };
export type TableName = keyof typeof tables;
export type TableRecord<T extends TableName> = RecordOf<(typeof tables)[T]>;
/** A record before it is stored; its revision begins at 0. */
export type NewRecord<T extends TableName> = Omit<TableRecord<T>, 'revision'> & { revision?: number };

/** An event before its commit, which gives it its position. */
export type NewEvent = Omit<TableRecord<'event'>, 'position'>;

export type ComposeRecord = TableRecord<'compose'>;
export type ApplicationRecord = TableRecord<'application'>;
export type DatabaseRecord = TableRecord<'database'>;
export type DeploymentRecord = TableRecord<'deployment'>;
export type DomainRecord = TableRecord<'domain'>;
export type EnvironmentRecord = TableRecord<'environment'>;
export type JobRecord = TableRecord<'job'>;
