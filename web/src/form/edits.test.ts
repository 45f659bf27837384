import { expect, it } from 'vitest';
import { editedSince } from './edits.ts';

it('keeps what was typed since it was sent, and nothing else', () => {
  const sent = { name: 'shop', path: '/' };
  expect(editedSince({ name: 'shop', path: '/' }, sent)).toEqual({});
  expect(editedSince({ name: 'shop two', path: '/' }, sent)).toEqual({ name: 'shop two' });
  expect(editedSince({ name: 'shop', port: '80' }, sent)).toEqual({ port: '80' });
});
