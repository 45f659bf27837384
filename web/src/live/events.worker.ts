/**
 * One event stream for all tabs of a browser, which opens no more than six connections to a server over plain
 * http: with a stream for each tab the seventh would wait for ever.
 */
import { createEventStream, type Told } from './event-stream.ts';

const tabs = new Set<MessagePort>();
let last: Told = { isLive: false };

const stream = createEventStream(location.origin, (told) => {
  if ('isLive' in told) last = told;
  for (const tab of tabs) tab.postMessage(told);
});

addEventListener('connect', (event) => {
  const [tab] = (event as MessageEvent).ports;
  if (!tab) return;
  tab.addEventListener('message', ({ data }) => {
    if (data === 'begin') {
      tabs.add(tab);
      if ('isLive' in last && last.isLive) tab.postMessage(last);
      stream.begin();
      return;
    }
    tabs.delete(tab);
    if (tabs.size > 0) return;
    stream.end();
    last = { isLive: false };
  });
  tab.start();
});
