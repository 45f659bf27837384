/** What the routers are made of. */
import type { Alarms } from '../../modules/alarm/alarm.ts';
import type { Members } from '../../modules/organization/member.ts';
import type { Conditions } from '../../modules/service/conditions.ts';
import type { LiveReader } from '../../modules/service/service.ts';
import type { Reconciler } from '../../reconcile/reconciler.ts';
import type { ProxySocket } from '../../transport/proxy-socket.ts';
import type { Ground } from '../ground.ts';
import type { Observing } from '../hosts/observing.ts';
import type { Monitoring } from '../hosts/monitoring.ts';
import type { DiskMeasuring } from '../../deploy/disk-quotas.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Product } from '../product.ts';
import type { Releasing } from './releasing.ts';
import type { Working } from './working.ts';

export interface AppParts extends Ground, Product, Machines, Releasing, Working, Monitoring {
  members: Members;
  reconciler: Reconciler;
  alarms: Alarms;
  /** The text for monitoring systems. */
  metrics(): Promise<string>;
  liveOf: LiveReader;
  conditions: Pick<Conditions, 'of'>;
  forgetObserved: Observing['forgetObserved'];
  disk: Pick<DiskMeasuring, 'look'>;
  proxySocket: ProxySocket;
  version: string;
}
