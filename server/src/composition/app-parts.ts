/** What the routers are made of. */
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { DeploymentRunner } from '../deploy/run.ts';
import type { Applications } from '../modules/application/application.ts';
import type { ReleaseSnapshotReader } from '../modules/application/pending-changes.ts';
import type { Turns } from '../modules/service/turns.ts';
import type { ApplicationRuntime } from '../modules/application/runtime.ts';
import type { Databases } from '../modules/database/database.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { Domains } from '../modules/domain/domain.ts';
import type { Environments } from '../modules/environment/environment.ts';
import type { Members } from '../modules/organization/member.ts';
import type { Registries } from '../modules/registry/registry.ts';
import type { SettingsService } from '../modules/settings/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Queue } from '../ports/queue.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { Accounts } from './accounts.ts';
import type { Adapters } from './adapters.ts';
import type { Log } from './log.ts';
import type { Platform } from './platform.ts';
import type { Stores } from './stores.ts';

export interface AppParts {
  config: Config;
  log: Log;
  clock: Clock;
  database: Database;
  stores: Stores;
  adapters: Adapters;
  accounts: Accounts;
  settings: SettingsService;
  members: Members;
  environments: Environments;
  applications: Applications;
  databases: Databases;
  registries: Registries;
  queue: Queue;
  deployments: Deployments;
  domains: Domains;
  platform: Platform;
  reconciler: Reconciler;
  runner: DeploymentRunner;
  runtime: ApplicationRuntime;
  turns: Turns;
  released: ReleaseSnapshotReader;
  version: string;
}
