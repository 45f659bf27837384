import { request } from 'node:https';

/** What is at an address of a server whose certificate this authority (PEM) has signed. */
export function fetched(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca, agent: false, signal: AbortSignal.timeout(5000) }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => resolve(text))
        .on('error', reject);
    });
    sent.on('error', reject).end();
  });
}
