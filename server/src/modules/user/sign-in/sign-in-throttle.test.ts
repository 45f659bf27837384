import { describe, expect, it } from 'vitest';
import { createSignInThrottle, type Attempt, type SignInThrottle } from './sign-in-throttle.ts';

const minute = 60_000;
const ada = 'ada@example.com';
const closed = expect.objectContaining({ code: 'TOO_MANY_REQUESTS' });

interface Held {
  throttle: SignInThrottle;
  /** Milliseconds that attempts were made to wait. */
  waits: number[];
  pass(ms: number): void;
  attempt(email: string, ip: string, device?: string): Promise<Attempt>;
}

function held(compare = async (): Promise<boolean> => true): Held {
  let now = 0;
  const waits: number[] = [];
  const throttle = createSignInThrottle({ now: () => now }, async (ms) => void waits.push(ms));
  return {
    throttle,
    waits,
    pass: (ms) => void (now += ms),
    attempt: (email, ip, device) => throttle.begin({ email, exists: true, ip, device }, compare),
  };
}

async function times(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index += 1) await work(index);
}

describe('the throttle of sign-ins', () => {
  it('lets five attempts on an account begin, whatever the addresses, however many at once', async () => {
    const { attempt, pass } = held();
    await Promise.all([1, 2, 3, 4, 5].map((last) => attempt(ada, `10.0.0.${last}`)));
    await expect(attempt(ada, '10.0.0.6')).rejects.toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      retryAfterMs: 15 * minute,
    });
    await attempt('bob@example.com', '10.0.0.1');
    pass(15 * minute);
    await attempt(ada, '10.0.0.6');
  });

  it('counts a device that signed in before by itself', async () => {
    const { attempt } = held();
    await times(5, (index) => attempt(ada, `10.0.0.${index}`));
    await times(5, () => attempt(ada, '10.0.0.9', 'laptop'));
    await expect(attempt(ada, '10.0.0.9', 'laptop')).rejects.toEqual(closed);
    await attempt(ada, '10.0.0.9', 'phone');
  });

  it('closes no address: beyond 100 failures attempts take turns, a second apart', async () => {
    const { attempt, waits, pass } = held();
    const crowd = (index: number): Promise<Attempt> => attempt(`user${index}@example.com`, '10.0.0.1');
    await times(101, crowd);
    expect(waits).toEqual([]);
    await times(2, (index) => crowd(200 + index));
    expect(waits).toEqual([1000, 2000]);
    pass(3000);
    const right = await crowd(400);
    expect(waits).toEqual([1000, 2000]);
    right.succeeded();
    await attempt('one@example.com', '10.0.0.2');
    await attempt('known@example.com', '10.0.0.1', 'laptop');
    expect(waits).toHaveLength(2);
  });

  it('lets twenty of an address wait and refuses one more at once, but no known device', async () => {
    let compared = 0;
    let letGo = (): void => undefined;
    const gate = new Promise<void>((open) => (letGo = open));
    const { attempt } = held(async () => {
      compared += 1;
      await gate;
      return false;
    });
    const crowd = (index: number): Promise<Attempt> => attempt(`user${index}@example.com`, '10.0.0.1');
    const waiting = Array.from({ length: 20 }, (_, index) => crowd(index));
    await times(10, (index) =>
      expect(attempt(ada, '10.0.0.1'), `attempt ${index}`).rejects.toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        message: expect.stringContaining('Try again in 1 s'),
        retryAfterMs: 1000,
      }),
    );
    expect(compared).toBe(2);
    // The refusals counted for nothing: her account is open, from elsewhere and on a device of hers.
    const others = [attempt(ada, '10.0.0.2'), attempt(ada, '10.0.0.1', 'laptop')];
    letGo();
    for (const { isRight } of await Promise.all([...waiting, ...others])) expect(isRight).toBe(false);
    expect(compared).toBe(22);
    await crowd(30);
  });

  it('lets a thousand strangers wait, whatever the addresses', async () => {
    let letGo = (): void => undefined;
    const gate = new Promise<void>((open) => (letGo = open));
    const { attempt } = held(async () => (await gate, true));
    const waiting = Array.from({ length: 1000 }, (_, index) =>
      attempt(`user${index}@example.com`, `10.0.${index % 100}.1`),
    );
    await expect(attempt(ada, '10.1.0.1')).rejects.toEqual(closed);
    const known = attempt(ada, '10.1.0.1', 'laptop');
    letGo();
    await Promise.all([...waiting, known]);
    await attempt(ada, '10.1.0.1');
  });

  it('takes an IPv6 network for one address', async () => {
    const { attempt, waits } = held();
    await times(101, (index) => attempt(`user${index}@example.com`, `2001:db8:0:7::${index.toString(16)}`));
    await times(2, (index) => attempt(`more${index}@example.com`, '2001:0db8::7:1:2:3:4'));
    expect(waits).toHaveLength(2);
    await attempt('other@example.com', '2001:db8:0:8::1');
    expect(waits).toHaveLength(2);
  });

  it('counts no success, and forgets the failures before one', async () => {
    const { attempt } = held();
    await times(100, async () => (await attempt(ada, '10.0.0.1')).succeeded());
    await times(4, () => attempt(ada, '10.0.0.1'));
    (await attempt(ada, '10.0.0.1')).succeeded();
    await times(5, () => attempt(ada, '10.0.0.1'));
    await expect(attempt(ada, '10.0.0.1')).rejects.toEqual(closed);
  });

  it('forgets nothing for an attempt that is taken back', async () => {
    const { attempt } = held();
    await times(4, () => attempt(ada, '10.0.0.1'));
    await times(10, async () => (await attempt(ada, '10.0.0.1')).takenBack());
    await attempt(ada, '10.0.0.1');
    await expect(attempt(ada, '10.0.0.1')).rejects.toEqual(closed);
  });

  it('forgets no real account for a flood of made-up ones', async () => {
    const { attempt, throttle } = held();
    await times(5, () => attempt(ada, '10.0.0.1'));
    await times(10_001, (index) =>
      throttle.begin(
        { email: `nobody${index}@example.com`, exists: false, ip: `10.${index % 250}.0.9` },
        async () => false,
      ),
    );
    await expect(attempt(ada, '10.0.0.1')).rejects.toEqual(closed);
  });
});
