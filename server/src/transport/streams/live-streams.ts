/** How many live streams each user has open. */
import { AppError } from '../../domain/errors.ts';

export interface LiveStreams {
  /**
   * Counts one more for the user, of whatever session or key, until the function is called that it gives.
   * TOO_MANY_REQUESTS at the limit.
   */
  open(userId: string): Promise<() => void>;
}

export function createLiveStreams(limit: () => Promise<number>): LiveStreams {
  const open = new Map<string, number>();
  return {
    async open(userId) {
      const most = await limit();
      const present = open.get(userId) ?? 0;
      if (present >= most)
        throw new AppError(
          'TOO_MANY_REQUESTS',
          `You have ${present} live streams open, and a user may have ${most} at once (setting ` +
            'streamLimit). Close one, or ask without Accept: text/event-stream for what there is now.',
        );
      open.set(userId, present + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (open.get(userId) ?? 1) - 1;
        if (left > 0) open.set(userId, left);
        else open.delete(userId);
      };
    },
  };
}
