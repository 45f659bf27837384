/** The event stream that this tab shares with the browser's others. */
import { createEventStream, everythingMayBeOld, type EventStream, type Told } from './event-stream.ts';
// oxlint-disable-next-line import/default -- the bundler gives the worker's address by this name
import program from './events.worker.ts?sharedworker&url';

/** One of the tab's own where the browser has no shared workers, or refuses this one. */
export function openEventStream(tell: (told: Told) => void): EventStream {
  const own = createEventStream(location.origin, tell);
  if (typeof SharedWorker === 'undefined') return own;
  const worker = new SharedWorker(trusted(program), { type: 'module', name: 'berth-events' });
  return sharedStream(worker, own, tell);
}

interface ScriptPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

/** The policy of the page (`require-trusted-types-for`) takes a program's address from such a rule alone. */
function trusted(url: string): string {
  const policies: ScriptPolicies | undefined = Reflect.get(globalThis, 'trustedTypes');
  return (
    policies?.createPolicy('berth-events', { createScriptURL: () => program }).createScriptURL(url) ?? url
  );
}

function sharedStream(worker: SharedWorker, own: EventStream, tell: (told: Told) => void): EventStream {
  const { port } = worker;
  let isWanted = false;
  let isRefused = false;
  let wasEnded = false;
  port.addEventListener('message', ({ data }) => isWanted && tell(data as Told));
  port.start();
  worker.addEventListener('error', () => {
    isRefused = true;
    if (isWanted) own.begin();
  });
  const leave = (): void => port.postMessage('end');
  // A tab that is closed says no more; one that is kept and shown again was not told of anything meanwhile.
  addEventListener('pagehide', leave);
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted || !isWanted) return;
    port.postMessage('begin');
    tell(everythingMayBeOld);
  });
  return {
    begin() {
      isWanted = true;
      if (isRefused) return own.begin();
      port.postMessage('begin');
      // The others' stream went on without this tab.
      if (wasEnded) tell(everythingMayBeOld);
    },
    end() {
      isWanted = false;
      wasEnded = true;
      own.end();
      leave();
    },
  };
}
