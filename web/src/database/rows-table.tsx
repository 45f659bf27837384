/** Rows as a table that scrolls sideways; null is told apart from a text. */
import type { ReactElement } from 'react';

const cell = 'block max-h-24 w-max max-w-[40ch] overflow-hidden whitespace-pre-wrap [overflow-wrap:anywhere]';
/** Of a list that opens what is pressed. */
export const rowButton =
  'flex min-h-(--row) w-full items-center gap-3 px-4 text-start hover:bg-hover aria-pressed:bg-hover';

export function RowsTable({
  label,
  columns,
  rows,
}: {
  label: string;
  columns: readonly string[];
  rows: readonly (readonly (string | null)[])[];
}): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys, too
    <section className="max-h-[60dvh] overflow-auto" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead className="sticky top-0 bg-surface">
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col" className="whitespace-nowrap">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((value, column) => (
                <td key={column} className="mono max-w-[40ch] text-12">
                  {value === null ? (
                    <span className="text-faint italic">null</span>
                  ) : (
                    <span className={cell}>{value}</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
