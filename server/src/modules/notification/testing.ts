/** A test message, sent while a person waits. */
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { failure, success } from './dispatch.ts';
import { testNotice } from './notice.ts';
import type { Notifications } from './notification.ts';
import type { Send } from './sending.ts';
import type { NotificationStore } from './store.ts';

export interface TestingPorts {
  store: NotificationStore;
  notifications: Notifications;
  send: Send;
  clock: Clock;
}

/** Throws what the channel refused with, after it was written down. */
export function createTesting({
  store,
  notifications,
  send,
  clock,
}: TestingPorts): (notificationId: string, organizationId: string) => Promise<void> {
  return async (notificationId, organizationId) => {
    const channel = await notifications.found(notificationId, organizationId);
    try {
      await send(channel, testNotice(randomId(), isoTime(clock), channel.name));
    } catch (error) {
      await store.update({ notificationId }, failure(error, clock));
      throw error;
    }
    await store.update({ notificationId }, success(clock));
  };
}
