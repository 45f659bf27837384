/** How databases are deployed: the records they are made of, and the plan. */
import { resolveEnv } from '../../domain/env.ts';
import { databaseKind } from '../../modules/database/kinds.ts';
import { bind, type Deployer, type Stage } from '../context.ts';
import { secretValues } from '../log-secrets.ts';
import { awaitHealthy } from '../stages/await-healthy.ts';
import type { DatabaseContext, DatabasePorts } from './database-context.ts';
import { pullDatabase } from './pull-database.ts';
import { releaseDatabase } from './release-database.ts';
import { verifyQuery } from './verify-query.ts';

const plan: readonly Stage<DatabaseContext>[] = [pullDatabase, releaseDatabase, awaitHealthy, verifyQuery];

export function databaseDeployer(ports: DatabasePorts): Deployer {
  const { records } = ports;
  return {
    async prepare(context) {
      const database = await records.find(context.deployment.databaseId ?? '');
      if (!database) return undefined;
      const [placement, blocks] = await Promise.all([records.placement(database.environmentId), records.envBlocks(database.environmentId)]);
      const env = resolveEnv({ ...blocks, service: database.env });
      context.hide([...secretValues(env), database.databasePassword, database.databaseRootPassword ?? '']);
      // The stages share the one context of the attempt, whose deployment changes on the way.
      const whole: DatabaseContext = Object.assign(context, { ...ports, database, kind: databaseKind(database.kind), placement, env });
      return { stages: bind(plan, whole), patch: () => ({ releasedAppName: database.appName }) };
    },
  };
}
