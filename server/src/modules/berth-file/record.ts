/**
 * `berth.yml`: a project as a file (docs/guide/berth-file.md). Its fields are those of the interface, taken
 * from the contracts, so that a field means the same in both and has one rule. Secrets do not stand in it,
 * only their names. Pure: the command line reads the file by it, and the JSON Schema is made from it.
 */
import { z } from 'zod';
import { didYouMean } from '../../domain/text/closest.ts';
import { databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { wordsOf } from '../../procedure/input/input-words.ts';
import { partial } from '../../procedure/input/shape.ts';
import { settingShape } from '../application/settings.ts';
import { projectBaseDomain } from '../base-domain/contract-field.ts';
import { backupContract } from '../backup/contract.ts';
import { hasBackups } from '../backup/contract-kinds.ts';
import { recoveryContract } from '../backup/contract-recovery.ts';
import { composeContract } from '../compose/contract.ts';
import { databaseContracts } from '../database/contract.ts';
import { domainContract } from '../domain/contract.ts';
import { mountContract } from '../mount/contract.ts';
import { portContract } from '../port/contract.ts';
import { previewDatabase } from '../preview-deployment/contract-databases.ts';
import { redirectContract } from '../redirect/contract.ts';
import { scheduleContract } from '../schedule/contract.ts';
import { appName, line, name, variableName } from '../service/contract-fields.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** An object that refuses keys it does not know, with the nearest that it does. */
function closed(shape: Shape): z.ZodObject {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `has no key ${key}.${didYouMean(key, known)}`).join(' ')
        : undefined,
  });
}

function without(shape: Shape, ...names: string[]): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).filter(([name]) => !names.includes(name)));
}

const plainValue = z.union([z.string().max(500_000), z.number(), z.boolean()], {
  error: 'must be a text, a number, true or false',
});
const secret = closed({ secret: z.literal(true) }).describe(
  'A secret variable: its value is not in the file; `berth secret set` sets it',
);
const variables = (value: z.ZodType): z.ZodType =>
  z
    .record(variableName, value)
    .describe('The complete list: a variable that is not in it is removed. Absent: they stay as they are');
const plainVariables = variables(plainValue);
const secretVariables = variables(
  z.union([plainValue, secret], { error: 'must be a text, a number, true or false, or { secret: true }' }),
);

/** Never read back, or named another way here. */
const notHere = [
  'name',
  'appName',
  'description',
  'env',
  'secretEnv',
  'removeSecretEnv',
  'revision',
  'webhookSecret',
  'password',
  'buildSecrets',
  'previewBuildSecrets',
  'previewSecretEnv',
  'removePreviewSecretEnv',
  'dockerContextPath',
  'dockerBuildStage',
  'composeStatus',
  'composeId',
  'databasePassword',
  'databaseRootPassword',
  ...databaseKindNames.map((kind) => `${kind}Id`),
];

const domain = without(
  domainContract.create.input.shape,
  'applicationId',
  'composeId',
  'previewDeploymentId',
  'domainType',
);
const { type, hostPath, volumeName, filePath, content, isSecret, mountPath } =
  mountContract.create.input.shape;
const mounts = z
  .array(closed({ mountPath, type, hostPath, volumeName, filePath, content, isSecret }))
  .max(200)
  .describe('The complete list, each identified by its mountPath');
const ports = z.array(closed(without(portContract.create.input.shape, 'applicationId'))).max(200);
const redirects = z
  .array(closed(without(redirectContract.create.input.shape, 'applicationId')))
  .max(200)
  .describe('The complete list; the first that matches applies');
const { schedule, timeZone, prefix, database, keepLatestCount, verifySchedule, alarmAfterHours } =
  backupContract.create.input.shape;
const { destinationId, enabled } = backupContract.create.input.shape;
const backups = z
  .array(
    closed({
      schedule,
      timeZone,
      prefix,
      database,
      destinationId,
      enabled,
      keepLatestCount,
      verifySchedule,
      alarmAfterHours,
    }),
  )
  .max(100)
  .describe('The complete list; destinationId may be the name of a destination');
const recovery = closed({
  ...without(recoveryContract.setRecovery.input.shape, 'postgresId', 'destinationId'),
  destinationId,
})
  .nullable()
  .describe('Recovery to any moment; destinationId may be the name of a destination. null: switched off');
const scheduledCommand = without(scheduleContract.create.input.shape, 'applicationId', 'composeId');
const schedulesOf = (shape: Shape): z.ZodType =>
  z.array(closed(shape)).max(100).describe('The complete list, each identified by its name');

const everyService = {
  name: name.describe('Absent: its key in the file'),
  appName: appName.describe('Absent: generated from the name when the service is created'),
  description: z.string().max(1000),
  deploy: z.boolean().describe('false: `berth apply` saves its settings and never deploys it'),
  serverId: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .describe('Id or name of the server; used only when it is created'),
} as const;

/** What the file may say of an application. */
export const applicationSettings = without(settingShape, ...notHere);
export const composeSettings = without(composeContract.update.input.shape, ...notHere);
export const databaseSettings = (kind: DatabaseKindName): Record<string, z.ZodType> =>
  without(databaseContracts[kind].update.input.shape, ...notHere);

const previewDatabases = z
  .array(
    closed({
      ...without(previewDatabase.shape, 'databaseId'),
      databaseId: line(100)
        .min(1)
        .describe(
          'A database of the same environment: its name in the file or in Berth, its appName or its id',
        ),
    }),
  )
  .max(10)
  .nullable()
  .describe('Databases of which each preview gets one of its own');

const application = closed({
  kind: z.literal('application'),
  ...partial({
    ...everyService,
    ...applicationSettings,
    networks: z.array(z.string().max(100)).max(20).nullable().describe('Names of other environments'),
    previewDatabases,
    variables: secretVariables,
    domains: z.array(closed(without(domain, 'serviceName'))).max(200),
    mounts,
    ports,
    redirects,
    schedules: schedulesOf(without(scheduledCommand, 'serviceName')),
  }),
});
const compose = closed({
  kind: z.literal('compose'),
  ...partial({
    ...everyService,
    ...composeSettings,
    previewDatabases,
    variables: secretVariables,
    domains: z.array(closed(domain)).max(200),
    mounts,
    schedules: schedulesOf(scheduledCommand),
  }),
});
const databases = databaseKindNames.map((kind) =>
  closed({
    kind: z.literal(kind),
    ...partial({
      ...everyService,
      ...databaseSettings(kind),
      variables: plainVariables,
      mounts,
    }),
    ...backupsOf(kind),
  }),
);

function backupsOf(kind: DatabaseKindName): Shape {
  return {
    ...(hasBackups(kind) && { backups: backups.optional() }),
    ...(kind === 'postgres' && { recovery: recovery.optional() }),
  };
}

const key = line(100).min(1);
const services = z
  .record(key, z.discriminatedUnion('kind', [application, compose, ...databases]))
  .describe('Name of the service → the service');

export const berthFile = closed({
  project: key.describe('Name of the project; created if it does not exist'),
  ...partial({
    description: z.string().max(1000),
    baseDomain: projectBaseDomain,
    variables: plainVariables.describe('Of the project, for every service in it'),
    services: services.describe('Of the environment production, for files that have no other'),
    environments: z.record(
      key,
      closed(partial({ description: z.string().max(1000), variables: plainVariables, services })),
    ),
  }),
}).describe('A project of Berth as it should be. `berth plan` shows what differs, `berth apply` does it');

/** A service as the file has it. */
export interface FileService {
  kind: 'application' | 'compose' | DatabaseKindName;
  variables?: FileVariables;
  [field: string]: unknown;
}

export type FileVariables = Readonly<Record<string, string | number | boolean | { secret: true }>>;

export interface FileEnvironment {
  description?: string;
  variables?: FileVariables;
  services?: Readonly<Record<string, FileService>>;
}

export interface BerthFile {
  project: string;
  description?: string;
  /** null: none of its own. */
  baseDomain?: string | null;
  variables?: FileVariables;
  services?: Readonly<Record<string, FileService>>;
  environments?: Readonly<Record<string, FileEnvironment>>;
}

/** The file's content held against the schema; what is wrong with it, each with where. */
export function readBerthFile(
  value: unknown,
): { file: BerthFile } | { issues: { path: PropertyKey[]; message: string }[] } {
  const result = berthFile.safeParse(value, { error: wordsOf });
  if (!result.success) return { issues: result.error.issues };
  // The schema is made by walks over the contracts; this is the shape that they give.
  return { file: result.data as unknown as BerthFile };
}
