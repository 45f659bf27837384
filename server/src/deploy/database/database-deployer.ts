/** How databases are deployed: the records they are made of, and the plans. */
import { serverIdOf } from '../../domain/names/server-key.ts';
import { resolveEnv } from '../../domain/variables/env.ts';
import type { DeploymentKind } from '../../domain/states/lifecycle.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { databaseKind } from '../../modules/database/kinds.ts';
import { bind, type AttemptContext, type Deployer, type Stage } from '../context.ts';
import type { Host } from '../../ports/host/host.ts';
import { hostOf } from '../host-parts.ts';
import { secretFiles, secretValues } from '../log-secrets.ts';
import { awaitHealthy } from '../stages/await-healthy.ts';
import type { DatabaseContext, DatabasePorts } from './database-context.ts';
import { pullDatabase } from './pull-database.ts';
import { leaveFormer, movedRecord, switchDatabase, transferData } from '../move/move-database.ts';
import type { MoveDatabaseContext } from '../move/move-database.ts';
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

/** The server with the present settings on a copy of the data, on another machine. */
const onAnotherServer: readonly Stage<MoveDatabaseContext>[] = [
  pullDatabase,
  transferData,
  ...finishStages,
  switchDatabase,
  leaveFormer,
];

const planOf = (kind: DeploymentKind): readonly Stage<DatabaseContext>[] =>
  kind === 'upgrade' ? onACopy : onItsData;

export function databaseDeployer(ports: DatabasePorts): Deployer {
  const { hosts, records } = ports;
  return {
    async prepare(context) {
      const { deployment } = context;
      const former = await records.find(deployment.databaseId ?? '');
      if (!former) return undefined;
      const { deploymentId, moveFrom: from, moveTo } = deployment;
      const isMove = from !== null && moveTo !== null;
      const place = isMove ? { serverId: serverIdOf(moveTo) } : former;
      const host = await hostOf({ hosts }, place, context);
      const database = isMove
        ? movedRecord(former, { deploymentId, moveTo }, await records.liveSpec(former))
        : deployment.kind === 'upgrade'
          ? upgradedRecord(former, deployment)
          : former;
      const whole = await contextOf(ports, context, { former, database, host });
      const stages = isMove
        ? bind(onAnotherServer, {
            ...whole,
            from,
            formerHostNow: () => hosts.of(from),
            formerHost: () => hostOf({ hosts }, { serverId: serverIdOf(from) }, context),
            hostName: host.name,
          })
        : bind(planOf(deployment.kind), whole);
      return { stages, patch: () => ({ releasedAppName: database.appName }) };
    },
  };
}

async function contextOf(
  { images, records, reachRegistry }: DatabasePorts,
  context: AttemptContext,
  { former, database, host }: { former: DatabaseRecord; database: DatabaseRecord; host: Host },
): Promise<DatabaseContext> {
  const { key: serverKey, engine, networks, probePath, fetchImage } = host;
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
  return {
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
}
