/** What a field is called and what is said below it. */
import type { ReactElement, ReactNode } from 'react';

/** A description of the interface, for whoever has a field in front of them. */
export const helpOf = (description: string): string =>
  description
    .replaceAll(/\b(?:null|absent)(?: at first)?: /g, 'empty: ')
    .replaceAll(/\b(?:Null|Absent)(?: at first)?: /g, 'Empty: ')
    .replaceAll(/ \([a-z][A-Za-z]+\.[a-z][A-Za-z]+\)/g, '')
    .replaceAll(/^Bytes of /g, 'Size of ');

export function Words({
  id,
  help,
  fault,
}: {
  id: string;
  help?: ReactNode;
  fault?: string | undefined;
}): ReactElement {
  return (
    <>
      {fault && (
        <p id={`${id}-fault`} className="fault">
          {fault}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="help">
          {help}
        </p>
      )}
    </>
  );
}
