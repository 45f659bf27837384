/** What a page costs in Chromium: script, long tasks, heap, and the time until something is seen. */
import type { CDPSession, Page } from 'playwright-core';

export interface Gauge {
  /** Milliseconds of script since the page began. */
  scriptMs(): Promise<number>;
  /** Milliseconds that the main thread was busy since the page began. */
  busyMs(): Promise<number>;
  /** Bytes, after the garbage is collected. */
  heapBytes(): Promise<number>;
  /** The longest task since it was asked last, in milliseconds; 0 when none took over 50. */
  longestTaskMs(): Promise<number>;
  /** So many times slower than this machine; 1 is as it is. */
  slow(times: number): Promise<void>;
}

/** Of a page that has not gone anywhere yet. */
export async function gaugeOf(page: Page): Promise<Gauge> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await page.addInitScript(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask', buffered: true });
  `);
  const milliseconds = async (wanted: string): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === wanted)?.value ?? 0);
  };
  return {
    scriptMs: () => milliseconds('ScriptDuration'),
    busyMs: () => milliseconds('TaskDuration'),
    async heapBytes() {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    },
    longestTaskMs: () =>
      page.evaluate<number>('(() => { const most = window.longest; window.longest = 0; return most; })()'),
    slow: async (times) => void (await session.send('Emulation.setCPUThrottlingRate', { rate: times })),
  };
}

/**
 * Milliseconds from an action of the page to the frame that shows what it leads to; both are expressions of
 * the page.
 */
export const untilSeen = (page: Page, action: string, isSeen: string): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const began = performance.now();
    await (${action});
    for (;;) {
      await new Promise(requestAnimationFrame);
      if (${isSeen}) return performance.now() - began;
    }
  })()`);

/** Scrolls an element through so many frames. */
export const scrollThrough = (page: Page, selector: string, frames = 120, step = 700): Promise<void> =>
  page.evaluate(`(async () => {
    const element = document.querySelector(${JSON.stringify(selector)});
    for (let frame = 0; frame < ${frames}; frame += 1) {
      element.scrollTop += ${step};
      await new Promise(requestAnimationFrame);
    }
  })()`);
