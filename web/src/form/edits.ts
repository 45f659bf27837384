/** What is edited in a form, by field. */

/** What is left to save once `sent` was saved: whatever was typed since. */
export function editedSince<E extends object>(edits: E, sent: Readonly<Partial<E>>): E {
  const left = Object.entries(edits).filter(([name, value]) => Reflect.get(sent, name) !== value);
  return Object.fromEntries(left) as E;
}
