import { describe, expect, it } from 'vitest';
import { createSignInThrottle } from './sign-in-throttle.ts';

const minute = 60_000;

function throttleAt(start: number): {
  throttle: ReturnType<typeof createSignInThrottle>;
  pass(ms: number): void;
} {
  let now = start;
  return { throttle: createSignInThrottle({ now: () => now }), pass: (ms) => void (now += ms) };
}

describe('the throttle of sign-ins', () => {
  it('lets five attempts of an account begin, however many come at once', () => {
    const { throttle, pass } = throttleAt(0);
    for (let count = 0; count < 5; count += 1) throttle.begin('ada@example.com', '10.0.0.1');
    expect(() => throttle.begin('ada@example.com', '10.0.0.1')).toThrow(
      expect.objectContaining({ code: 'TOO_MANY_REQUESTS', retryAfterMs: 15 * minute }),
    );
    throttle.begin('ada@example.com', '10.0.0.2');
    throttle.begin('bob@example.com', '10.0.0.1');
    pass(15 * minute);
    throttle.begin('ada@example.com', '10.0.0.1');
  });

  it('lets 25 attempts of an address begin', () => {
    const { throttle } = throttleAt(0);
    for (let count = 0; count < 25; count += 1) throttle.begin(`user${count}@example.com`, '10.0.0.1');
    expect(() => throttle.begin('another@example.com', '10.0.0.1')).toThrow('Too many failed sign-ins');
    throttle.begin('another@example.com', '10.0.0.2');
  });

  it('counts no success', () => {
    const { throttle } = throttleAt(0);
    for (let count = 0; count < 100; count += 1) {
      throttle.begin('ada@example.com', '10.0.0.1');
      throttle.succeeded('ada@example.com', '10.0.0.1');
    }
    for (let count = 0; count < 4; count += 1) throttle.begin('ada@example.com', '10.0.0.1');
    throttle.begin('ada@example.com', '10.0.0.1');
    expect(() => throttle.begin('ada@example.com', '10.0.0.1')).toThrow('Too many');
  });
});
