import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { notificationContract } from './contract.ts';
import type { Notifications } from './notification.ts';

export interface NotificationDesk {
  notifications: Notifications;
  /** Sends a test message and writes down how it went; throws what the channel refused with. */
  test(notificationId: string, organizationId: string): Promise<void>;
}

export function notificationHandlers({
  notifications,
  test,
}: NotificationDesk): Handlers<typeof notificationContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => notifications.create(actor.organizationId, input)),
    one: ({ actor }, { notificationId }) => notifications.one(notificationId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(
        await notifications.all(actor.organizationId),
        input,
        ({ notificationId }) => notificationId,
      );
    },
    update: ({ actor, write }, { notificationId, ...input }) =>
      write(() => notifications.update(notificationId, actor.organizationId, input)),
    remove: ({ actor, write }, { notificationId }) =>
      write(() => notifications.remove(notificationId, actor.organizationId)),
    async test({ actor }, { notificationId }) {
      await test(notificationId, actor.organizationId);
      return { success: true };
    },
  };
}
