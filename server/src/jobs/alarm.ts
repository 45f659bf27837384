/** A pause that can be cut short; a wake during the work before it counts too. */
export interface Alarm {
  /** Call before looking for work: wakes from now on count for the next pause. */
  arm(): void;
  /** Resolves at a wake since `arm`, at the latest after `limitMs`. */
  pause(limitMs: number): Promise<void>;
  wake(): void;
}

export function createAlarm(): Alarm {
  let isAwake = false;
  let ring: (() => void) | undefined;
  return {
    arm() {
      isAwake = false;
    },
    pause(limitMs) {
      if (isAwake) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    wake() {
      isAwake = true;
      ring?.();
    },
  };
}
