import { expect, it } from 'vitest';
import { heldKeys, identitiesOf } from '../../domain/secrets/age-identities.ts';
import { newKeyPair } from '../../domain/secrets/age.ts';
import { nextKeys, withNewKey } from './destination-keys.ts';

const none = { recipients: [], identities: null };

it('stay unless they are given, and go when they are cleared', async () => {
  const [own, other] = [await newKeyPair(), await newKeyPair()];
  const first = await nextKeys(none, {
    recipients: [` ${own.recipient} `, own.recipient],
    identity: own.identity,
  });
  expect(first.recipients).toEqual([own.recipient]);
  expect(first.identities).toBe(`# public key: ${own.recipient}\n${own.identity}\n`);
  expect(await nextKeys(first, {})).toEqual(first);
  const more = await nextKeys(first, { recipients: [other.recipient], identity: other.identity });
  expect(more.recipients).toEqual([other.recipient]);
  expect(heldKeys(more.identities)).toEqual([own.recipient, other.recipient]);
  expect(identitiesOf(more.identities)).toEqual([own.identity, other.identity]);
  expect((await nextKeys(more, { identity: own.identity })).identities).toBe(more.identities);
  expect(await nextKeys(more, { recipients: null, identity: null })).toEqual(none);
});

it('take the file that age-keygen wrote', async () => {
  const { recipient, identity } = await newKeyPair();
  const file = `# created: 2026-11-28T03:00:00Z\n# public key: ${recipient}\n${identity}\r\n`;
  expect(heldKeys((await nextKeys(none, { identity: file })).identities)).toEqual([recipient]);
});

it('are named when they are none, private ones without their text', async () => {
  const { recipient, identity } = await newKeyPair();
  for (const [wrong, words] of [
    [identity, 'this is a private one'],
    ['ssh-ed25519 AAAAC3', 'one of SSH or of a plugin'],
    [`age1yubikey1${recipient.slice(5)}`, 'one of SSH or of a plugin'],
    [recipient.slice(0, -1), 'must be public keys of age'],
    ['', 'must be public keys of age'],
  ] as const) {
    const fault = await nextKeys(none, { recipients: [wrong] }).catch(String);
    expect(fault).toContain(`recipients: `);
    expect(fault).toContain(words);
    expect(fault).not.toContain(identity.slice(0, 24));
  }
  for (const wrong of [recipient, `${identity}\nmore`, '# nothing'])
    await expect(nextKeys(none, { identity: wrong })).rejects.toThrow('identity: ');
});

it('are made as pairs, beside those that are there', async () => {
  const { keys, pair } = await withNewKey(none);
  const again = await withNewKey(keys);
  expect(again.keys.recipients).toEqual([pair.recipient, again.pair.recipient]);
  expect(heldKeys(again.keys.identities)).toEqual(again.keys.recipients);
});
