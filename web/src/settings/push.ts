/**
 * The subscription of this browser at its push service (W3C, Push API). The pair of keys that signs messages
 * is made here, and kept here too, since a browser subscribes with one key alone, whoever sends.
 */
interface Pair {
  /** Base64url, as is the other. */
  publicKey: string;
  privateKey: string;
}

export interface PushSettings extends Pair {
  endpoint: string;
  p256dh: string;
  auth: string;
}

const worker = '/push-worker.js';
const keptAs = 'berth-push-key';

/** Throws an error that says why this browser takes no messages. */
export async function subscribe(): Promise<PushSettings> {
  if (!window.isSecureContext)
    throw new Error(
      'Browsers take messages over https alone. Give Berth a host with https in Settings, Installation, ' +
        'and open it there.',
    );
  if (!('serviceWorker' in navigator) || !('PushManager' in window))
    throw new Error(
      'This browser takes no messages. On an iPhone or iPad add Berth to the home screen first, and open ' +
        'it from there.',
    );
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('This browser may show no messages of Berth. Allow them in its settings of this site.');
  const registration = await navigator.serviceWorker.register(workerUrl() as string);
  await navigator.serviceWorker.ready;
  const present = await registration.pushManager.getSubscription();
  const kept = keptPair();
  // One of another key cannot be used.
  if (present && (kept === undefined || base64url(present.options.applicationServerKey) !== kept.publicKey))
    await present.unsubscribe();
  const pair = kept ?? (await newPair());
  const { endpoint, keys } = (
    await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: pair.publicKey,
    })
  ).toJSON();
  if (endpoint === undefined || keys?.['p256dh'] === undefined || keys['auth'] === undefined)
    throw new Error('The push service of this browser gave no complete subscription. Try again.');
  return { endpoint, p256dh: keys['p256dh'], auth: keys['auth'], ...pair };
}

/** Undefined: it has no subscription. */
export async function presentEndpoint(): Promise<string | undefined> {
  const registration = await navigator.serviceWorker?.getRegistration(worker);
  return (await registration?.pushManager?.getSubscription())?.endpoint;
}

function keptPair(): Pair | undefined {
  try {
    const { publicKey, privateKey }: Partial<Pair> = JSON.parse(localStorage.getItem(keptAs) ?? '{}');
    return publicKey && privateKey ? { publicKey, privateKey } : undefined;
  } catch {
    return undefined;
  }
}

async function newPair(): Promise<Pair> {
  const made = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
  const { d: privateKey = '' } = await crypto.subtle.exportKey('jwk', made.privateKey);
  const pair = { publicKey: base64url(await crypto.subtle.exportKey('raw', made.publicKey)), privateKey };
  localStorage.setItem(keptAs, JSON.stringify(pair));
  return pair;
}

const base64url = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? [])))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

interface TrustedTypes {
  createPolicy(name: string, rules: object): { createScriptURL(url: string): unknown };
}

/** The policy of the page lets no plain text become a script's address. */
function workerUrl(): unknown {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('berth-push', { createScriptURL: () => worker });
  return policy?.createScriptURL(worker) ?? worker;
}

/** The device as people know it, such as `Firefox on Linux`. */
export function nameOfBrowser(userAgent: string): string {
  const found = (names: Readonly<Record<string, RegExp>>): string | undefined =>
    Object.entries(names).find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = found({ Firefox: /Firefox\//, Edge: /Edg\//, Chrome: /Chrome\//, Safari: /Safari\// });
  const system = found({
    iPhone: /iPhone/,
    iPad: /iPad/,
    Android: /Android/,
    Windows: /Windows/,
    macOS: /Macintosh/,
    Linux: /Linux/,
  });
  return [browser ?? 'Browser', ...(system === undefined ? [] : [system])].join(' on ');
}
