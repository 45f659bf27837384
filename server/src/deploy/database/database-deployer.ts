/** How databases are deployed: the records they are made of, and the plans. */
import { resolveEnv } from '../../domain/variables/env.ts';
import type { DeploymentKind } from '../../domain/states/lifecycle.ts';
import { databaseKind } from '../../modules/database/kinds.ts';
import { bind, type Deployer, type Stage } from '../context.ts';
import { hostOf } from '../host-parts.ts';
import { secretFiles, secretValues } from '../log-secrets.ts';
import { awaitHealthy } from '../stages/await-healthy.ts';
import type { DatabaseContext, DatabasePorts } from './database-context.ts';
import { pullDatabase } from './pull-database.ts';
import { releaseDatabase } from './release-database.ts';
import { copyData, standBeside, switchVolume, upgradedRecord } from './upgrade.ts';
import { verifyQuery } from './verify-query.ts';

const finishStages: readonly Stage<DatabaseContext>[] = [releaseDatabase, awaitHealthy, verifyQuery];

/** The server with the present settings on its data. */
const onItsData: readonly Stage<DatabaseContext>[] = [pullDatabase, ...finishStages];
/** Another server on a copy of the data. */
const onACopy: readonly Stage<DatabaseContext>[] = [
  pullDatabase,
  standBeside,
  copyData,
  ...finishStages,
  switchVolume,
];

const planOf = (kind: DeploymentKind): readonly Stage<DatabaseContext>[] =>
  kind === 'upgrade' ? onACopy : onItsData;

export function databaseDeployer(ports: DatabasePorts): Deployer {
  const { hosts, images, records, reachRegistry } = ports;
  return {
    async prepare(context) {
      const { deployment } = context;
      const former = await records.find(deployment.databaseId ?? '');
      if (!former) return undefined;
      const host = await hostOf({ hosts }, former, context);
      const { key: serverKey, engine, networks, probePath, fetchImage } = host;
      const isUpgrade = deployment.kind === 'upgrade';
      const database = isUpgrade ? upgradedRecord(former, deployment) : former;
      const [placement, blocks] = await Promise.all([
        records.placement(database.environmentId),
        records.envBlocks(database, [database.env]),
      ]);
      const env = resolveEnv({ ...blocks, service: database.env });
      context.hide([
        ...secretValues(env),
        ...(blocks.services?.given ?? []),
        ...secretFiles(await records.mounts(database.databaseId)),
        database.databasePassword,
        database.databaseRootPassword ?? '',
      ]);
      const whole: DatabaseContext = {
        ...context,
        engine,
        networks,
        probePath,
        records,
        reachRegistry,
        images,
        serverKey,
        fetchImage,
        database,
        former,
        kind: databaseKind(database.kind),
        placement,
        env,
      };
      return {
        stages: bind(planOf(deployment.kind), whole),
        patch: () => ({ releasedAppName: database.appName }),
      };
    },
  };
}
