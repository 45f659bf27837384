/** Berth composed with a throttle that knows addresses alone, as it once was; only a test starts it. */
import { AppError } from '../../../server/src/domain/errors.ts';
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

const limit = 5;

await start({
  walls: {
    ...walls,
    throttle: () => {
      const failures = new Map<string, number>();
      return {
        async begin({ ip }, compare) {
          const count = failures.get(ip) ?? 0;
          if (count >= limit) throw new AppError('TOO_MANY_REQUESTS', 'Too many attempts. Try again later.');
          failures.set(ip, count + 1);
          const takenBack = (): void => void failures.set(ip, (failures.get(ip) ?? 1) - 1);
          return { isRight: await compare(), succeeded: () => void failures.delete(ip), takenBack };
        },
      };
    },
  },
});
