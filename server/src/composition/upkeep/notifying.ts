/** Who is told what happens: facts in, messages out. */
import type { TellFact } from '../../domain/states/fact.ts';
import type { Counters } from '../../modules/metrics/counters.ts';
import { createDispatch } from '../../modules/notification/dispatch.ts';
import type { NotificationDesk } from '../../modules/notification/handlers.ts';
import { createNotifications } from '../../modules/notification/notification.ts';
import { createSend } from '../../modules/notification/sending.ts';
import { createTelling } from '../../modules/notification/tell-fact.ts';
import { createTesting } from '../../modules/notification/testing.ts';
import { tellUpgrade, type UpgradePorts } from '../../modules/notification/upgrade.ts';
import type { Ground } from '../ground.ts';
import type { Stores } from '../stores.ts';
import { version } from '../installation/version.ts';

export interface Notifying {
  /** The one way by which facts leave. */
  tell: TellFact;
  desk: NotificationDesk;
  /** Tells once of another version than that of the last start. */
  tellUpgrade(): Promise<void>;
  /** Begins to send what is due. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

export function createNotifying(
  { stores, adapters, clock, log }: Ground,
  counters: Pick<Counters, 'add'>,
): Notifying {
  const store = stores.notifications;
  const send = createSend({ ...adapters, clock });
  const dispatch = createDispatch({
    store,
    send,
    clock,
    onFault: (error) => void log.fault(error, 'notification'),
  });
  const notifications = createNotifications(store, clock);
  const telling = createTelling({ store, clock, onFault: (error) => void log.fault(error, 'fact') });
  const tell: TellFact = (fact) => {
    counters.add('berth_events_total', 1, { event: fact.event });
    return telling(fact);
  };
  return {
    tell,
    tellUpgrade: () => tellUpgrade({ ...upgradePorts(stores), tell }),
    desk: { notifications, test: createTesting({ store, notifications, send, clock }) },
    tick: dispatch.begin,
    stop: dispatch.stop,
  };
}

const versionName = 'startedVersion';

function upgradePorts({ settings, organizations }: Stores): Omit<UpgradePorts, 'tell'> {
  return {
    version,
    async former() {
      const value = (await settings.all())[versionName];
      return typeof value === 'string' ? value : undefined;
    },
    note: (started) => settings.put(versionName, started),
    organization: organizations.first,
    transaction: settings.transaction,
  };
}
