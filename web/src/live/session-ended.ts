/** Whether the server said that nobody is signed in any more: the page then asks over what is shown. */
type Listener = (hasEnded: boolean) => void;

const listeners = new Set<Listener>();
let hasEnded = false;

function tell(value: boolean): void {
  if (value === hasEnded) return;
  hasEnded = value;
  for (const listener of listeners) listener(value);
}

export const noteSessionEnded = (): void => tell(true);
export const noteSignedIn = (): void => tell(false);
export const sessionHasEnded = (): boolean => hasEnded;

export function onSessionEnd(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
